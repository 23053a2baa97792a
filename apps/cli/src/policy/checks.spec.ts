import { jest } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main } from '../main.js';

const ITEM = '{ kind: resource, provider: files, name: write, risk: low }';

describe('what an author checks without a gate', () => {
  let folder: string;
  let said: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'policy-'));
    said = '';
    for (const way of ['log', 'error'] as const) jest.spyOn(console, way).mockImplementation((...line: unknown[]) => { said += `${line.join(' ')}\n`; });
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await rm(folder, { recursive: true, force: true });
  });
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };

  it('lints bundles, with the place and a way out, and fails on errors', async () => {
    const good = await file('good.yaml', 'rules:\n  - { id: a, match: { tool_name: write }, action: deny }\n');
    expect(await main(['policy', 'lint', good])).toBe(0);
    expect(said).toContain('good.yaml: 1 rules, nothing to say, digest');
    const bad = await file('bad.yaml', 'rules:\n  - { id: a, match: {}, action: allow }\n  - { id: b, match: {}, action: deny }\n');
    expect(await main(['policy', 'lint', bad])).toBe(1);
    expect(said).toMatch(/bad\.yaml:\d+:\d+: error \[conflict\]/);
    expect(await main(['policy', 'lint', '--guardrails', await file('allow.yaml', 'rules:\n  - { id: a, match: { tool_name: x }, action: allow }\n')])).toBe(1);
  });

  it('runs case files against a bundle beside them, and says what failed and why', async () => {
    await file('rules.yaml', 'rules:\n  - { id: no-writes, match: { tool_name: write }, action: deny }\n');
    const right = await file('right.yaml', `bundleFile: rules.yaml\ncases:\n  - { name: denied, item: ${ITEM}, expect: { decision: deny, decidedBy: "policy:no-writes", rule: no-writes } }\n`);
    expect(await main(['policy', 'test', right])).toBe(0);
    expect(said).toContain('1 passed, 0 failed');
    const wrong = await file('wrong.yaml', `bundleFile: rules.yaml\ncases:\n  - { name: allowed, item: ${ITEM}, expect: { decision: allow, decidedBy: "policy:default" } }\n`);
    const gone = await file('gone.yaml', `bundleFile: nowhere.yaml\ncases:\n  - { name: any, item: ${ITEM}, expect: { decision: ask, decidedBy: x } }\n`);
    expect(await main(['policy', 'test', right, wrong, gone, await file('none.yaml', 'cases: []')])).toBe(1);
    expect(said).toContain('1 passed, 3 failed');
    expect(said).toContain('deny by policy:no-writes');
    expect(said).toContain('nowhere.yaml');
    expect(said).toContain('tries nothing');
  });
});
