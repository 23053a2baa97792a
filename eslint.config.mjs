import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';
import { BANNED_IMPORTS, SOURCE_BOUNDARIES, SPEC_BOUNDARIES, WITHOUT_CLOCK } from './scripts/lint/boundaries.mjs';
import { rules } from './scripts/lint/rules.mjs';
import { SPEC_GLOBS, SUITE_GLOBS } from './scripts/support/spec-files.mjs';

const countersign = { rules };
const SHIPPED = ['libs/*/src/**/*.ts', 'libs/domain/*/src/**/*.ts', 'apps/*/src/**/*.ts'];

/** Nest features that hide who depends on whom (STYLE: one module an app, explicit providers, few collaborators). */
const UNWANTED = [
  { selector: 'CallExpression[callee.name="forwardRef"]', message: 'A cycle made permanent: split what both need out of them.' },
  { selector: 'Decorator[expression.callee.name="Global"]', message: 'Name the module where it is imported.' },
  { selector: 'MemberExpression[object.name="Scope"][property.name="REQUEST"]', message: 'Request scope spreads: pass the request on as an argument.' },
  { selector: 'ImportSpecifier[imported.name="ModuleRef"]', message: 'No service locator: name it in the constructor.' },
  { selector: 'MethodDefinition[kind="constructor"] > FunctionExpression[params.length>5]', message: 'More than five collaborators: this does more than one thing.' },
];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.countersign/**', '.nx/**', 'coverage/**', 'reports/**', '**/*.d.mts'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommended],
    languageOptions: { parserOptions: { project: ['./tsconfig.json'], tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_', ignoreRestSiblings: true }],
      'no-restricted-syntax': ['error', ...UNWANTED],
      eqeqeq: ['error', 'always'],
    },
  },
  {
    files: SHIPPED,
    ignores: SPEC_GLOBS,
    plugins: { '@nx': nx },
    rules: {
      '@nx/enforce-module-boundaries': ['error', SOURCE_BOUNDARIES],
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': ['error', { max: 70, skipComments: true, skipBlankLines: true }],
    },
  },
  { files: SUITE_GLOBS, rules: { 'max-lines-per-function': 'off' } },
  { files: SPEC_GLOBS, plugins: { '@nx': nx }, rules: { '@nx/enforce-module-boundaries': ['error', SPEC_BOUNDARIES] } },
  ...BANNED_IMPORTS.map(({ files, bans }) => ({
    files, ignores: SPEC_GLOBS, plugins: { countersign }, rules: { 'countersign/banned-imports': ['error', bans] },
  })),
  { files: WITHOUT_CLOCK, ignores: SPEC_GLOBS, plugins: { countersign }, rules: { 'countersign/no-clock': 'error' } },
  {
    files: ['**/*.mjs'],
    rules: { 'max-lines': ['error', { max: 400 }], 'max-lines-per-function': ['error', 70], 'no-unused-vars': 'error', 'no-var': 'error', 'prefer-const': 'error', eqeqeq: 'error' },
  },
);
