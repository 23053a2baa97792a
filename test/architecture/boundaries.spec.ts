import { cloneWorkingTree, type Clone } from './clone.js';
import { ALLOWED, PLANTED } from './planted.js';

interface Finding { readonly filePath: string; readonly messages: readonly { readonly ruleId: string | null; readonly message: string }[] }

/** A boundary that nobody has seen fire may not be there. */
describe('the lint, in a fresh clone with forbidden imports planted', () => {
  let clone: Clone;
  let findings: readonly Finding[];
  let code: number;

  beforeAll(() => {
    clone = cloneWorkingTree();
    for (const { file, source } of [...PLANTED, ...ALLOWED]) clone.write(file, source);
    const report = 'lint-report.json';
    const files = [...PLANTED, ...ALLOWED].map(({ file }) => file);
    const run = clone.run('scripts/lint.mjs', '--format', 'json', '--output-file', report, ...files);
    code = run.code;
    findings = JSON.parse(clone.read(report)) as Finding[];
  }, 120_000);

  afterAll(() => clone.remove());

  const of = (file: string) => findings.find(({ filePath }) => filePath.endsWith(`/${file}`))?.messages;

  it.each(PLANTED)('refuses when $what', ({ file, rule, says }) => {
    expect(of(file)).toContainEqual(expect.objectContaining({ ruleId: rule, message: expect.stringContaining(says) }));
  });

  it.each(ALLOWED)('says nothing when $what', ({ file }) => {
    expect(of(file)).toEqual([]);
  });

  it('ends with a failure', () => {
    expect(code).toBe(1);
  });
});

describe('the lint without a project graph', () => {
  let clone: Clone;
  const file = 'apps/planner/src/planted-app.ts';

  beforeAll(() => {
    clone = cloneWorkingTree();
    clone.write(file, PLANTED.find((planted) => planted.file === file)!.source);
  }, 60_000);

  afterAll(() => clone.remove());

  it('is skipped by plain eslint, which is why we do not use that', () => {
    expect(clone.run('node_modules/eslint/bin/eslint.js', file)).toEqual({ code: 0, output: expect.stringContaining('No cached ProjectGraph') });
  }, 60_000);

  it('fails by our script when the rule was skipped', () => {
    const { code, output } = clone.run('--input-type=module', '-e', `
      import { runEslint } from './scripts/lint.mjs';
      process.exitCode = await runEslint(['${file}']);
    `);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('the boundaries were not checked') });
  }, 60_000);

  it('fails by our script when the graph cannot be computed', () => {
    clone.write('nx.json', '{ "pluginsConfig": ');
    const { code, output } = clone.run('scripts/lint.mjs', file);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('the project graph could not be computed') });
  }, 60_000);

  it('fails by our script when a package has no tag', () => {
    clone.write('nx.json', '{}');
    clone.write('libs/kernel/package.json', JSON.stringify({ name: '@countersign/kernel', version: '0.1.0', private: true }));
    const { code, output } = clone.run('scripts/lint.mjs', file);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('libs/kernel') });
  }, 60_000);
});
