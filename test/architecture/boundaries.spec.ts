import { cloneWorkingTree, type Clone } from './clone.js';
import { ALLOWED, PLANTED } from './planted.js';

interface Finding { readonly filePath: string; readonly messages: readonly { readonly ruleId: string | null; readonly message: string }[] }

/** Each run of the lint is a process of its own that reads the whole program; a busy machine takes its time for that. */
const SLOWLY = 240_000;

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
  }, SLOWLY);

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
  }, SLOWLY);

  afterAll(() => clone.remove());

  it('fails by our script when the rule was skipped, where eslint alone would pass', () => {
    const { code, output } = clone.run('--input-type=module', '-e', `
      import { runEslint } from './scripts/lint.mjs';
      process.exitCode = await runEslint(['${file}']);
    `);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('the boundaries were not checked') });
    expect(output).toContain('No cached ProjectGraph');
    expect(output).not.toContain('type:app');
  }, SLOWLY);

  it('fails by our script when the graph cannot be computed', () => {
    clone.write('nx.json', '{ "pluginsConfig": ');
    const { code, output } = clone.run('scripts/lint.mjs', file);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('the project graph could not be computed') });
  }, SLOWLY);

  it('fails by our script when a package has no tag', () => {
    clone.write('nx.json', '{}');
    clone.write('libs/kernel/package.json', JSON.stringify({ name: '@countersign/kernel', version: '0.1.0', private: true }));
    const { code, output } = clone.run('scripts/lint.mjs', file);
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('libs/kernel') });
  }, SLOWLY);
});
