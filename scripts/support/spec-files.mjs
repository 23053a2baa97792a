/**
 * What is there for specs only: the specs, folders named `test` or `spec-support`, and fixtures. It is not compiled into
 * `dist`, is no part of the project graph (.nxignore says the same), and may use the test kit.
 */
export const SPEC_GLOBS = ['**/*.spec.ts', 'test/**/*.ts', '**/test/**/*.ts', '**/spec-support/**/*.ts', '**/*.fixture.ts'];

/** Suites that a lib exports for the specs of its implementations. They are compiled, and as long as specs are. */
export const SUITE_GLOBS = ['**/*-contract.ts', '**/contract-suite.ts'];

/** @param {string} path relative to a package's folder or to the root */
export const isSpecOnly = (path) => /\.(spec|fixture)\.ts$|(^|\/)(test|spec-support)\//.test(path);

/** @param {string} path */
export const isSuite = (path) => /(-contract|\/contract-suite)\.ts$/.test(path);
