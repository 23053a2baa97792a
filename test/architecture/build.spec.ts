import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './tree.js';

/** A workspace of one package, built by our script. */
let root: string;
const file = (path: string) => join(root, path);
const write = (path: string, text: string, at = 1_000) => {
  mkdirSync(dirname(file(path)), { recursive: true });
  writeFileSync(file(path), text);
  utimesSync(file(path), at, at);
};
const node = (source: string) => spawnSync(process.execPath, ['--input-type=module', '-e', source], { cwd: root, encoding: 'utf8', env: { ...process.env, NODE_OPTIONS: '' } });
const SCRIPT = pathToFileURL(join(ROOT, 'scripts/build.mjs')).href;

function build(): { did?: unknown; told: string } {
  const run = node(`
    import { build } from '${SCRIPT}';
    try { process.stdout.write(JSON.stringify(await build({ root: process.cwd() }))); } catch (error) { process.stderr.write(error.message); }
  `);
  return { ...(run.stdout ? { did: JSON.parse(run.stdout) } : {}), told: run.stderr };
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'countersign-build-'));
  cpSync(join(ROOT, '.swcrc'), file('.swcrc'));
  symlinkSync(join(ROOT, 'node_modules'), file('node_modules'));
  write('package.json', JSON.stringify({ type: 'module', dependencies: { '@swc/core': '1' } }));
  write('libs/a/package.json', JSON.stringify({ type: 'module' }));
  write('libs/a/src/index.ts', 'export const answer: number = 42;\n');
  write('libs/a/src/sql/one.sql', 'SELECT 1;\n');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

describe('the build', () => {
  it('compiles modules, copies data, and leaves specs and what they use alone', () => {
    write('libs/a/src/index.spec.ts', 'it("is", () => {});\n');
    write('libs/a/src/test/bench.ts', 'export {};\n');
    expect(build().did).toEqual({ compiled: 1, copied: 1, removed: 0 });
    expect(readFileSync(file('libs/a/dist/sql/one.sql'), 'utf8')).toBe('SELECT 1;\n');
    expect(existsSync(file('libs/a/dist/index.spec.js')) || existsSync(file('libs/a/dist/test/bench.js'))).toBe(false);
    expect(node('import { answer } from "./libs/a/dist/index.js"; process.stdout.write(String(answer));').stdout).toBe('42');
  });

  it('does nothing when nothing changed, compiles what is newer or older, and removes what lost its source', () => {
    build();
    expect(build()).toEqual({ did: { compiled: 0, copied: 0, removed: 0 }, told: '' });
    write('libs/a/src/index.ts', 'export const answer: number = 43;\n', 2_000);
    expect(build().did).toEqual({ compiled: 1, copied: 0, removed: 0 });
    write('libs/a/src/index.ts', 'export const answer: number = 41;\n', 500);
    expect(build().did).toEqual({ compiled: 1, copied: 0, removed: 0 });
    rmSync(file('libs/a/src/sql/one.sql'));
    expect(build().did).toEqual({ compiled: 0, copied: 0, removed: 1 });
    expect(existsSync(file('libs/a/dist/sql/one.sql'))).toBe(false);
  });

  it('compiles everything anew when the compiler\'s options change', () => {
    build();
    write('.swcrc', readFileSync(file('.swcrc'), 'utf8').replace('es2022', 'es2021'));
    expect(build().did).toEqual({ compiled: 1, copied: 1, removed: 0 });
  });

  it('names every file that cannot be compiled, with the reason, and tries again next time', () => {
    write('libs/a/src/wrong.ts', 'export const = ;\n');
    expect(build()).toEqual({ told: expect.stringMatching(/1 of 2 modules failed\s+libs\/a\/src\/wrong\.ts\s+x Unexpected token/) });
    expect(build().told).toContain('libs/a/src/wrong.ts');
    write('libs/a/src/wrong.ts', 'export const right = 1;\n', 3_000);
    expect(build().did).toEqual(expect.objectContaining({ removed: 0 }));
    expect(build().did).toEqual({ compiled: 0, copied: 0, removed: 0 });
  });

  it('keeps what Nest reads of a decorated constructor: classes as they are, type-only imports as Object', () => {
    write('libs/a/src/parts.ts', 'export class Part {}\nexport interface Port { close(): void }\n');
    write('libs/a/src/index.ts', [
      'import "reflect-metadata";', 'import { Part, type Port } from "./parts.js";', 'import type { Port as Other } from "./parts.js";',
      'const marked = (_: unknown) => {};',
      '@marked', 'export class Whole { constructor(readonly part: Part, readonly port: Port, readonly other: Other, readonly text: string) {} }',
    ].join('\n'));
    build();
    const run = node(`
      import { Whole } from './libs/a/dist/index.js';
      process.stdout.write(JSON.stringify(Reflect.getMetadata('design:paramtypes', Whole).map((type) => type.name)));
    `);
    expect(run.stderr).toBe('');
    expect(JSON.parse(run.stdout)).toEqual(['Part', 'Object', 'Object', 'String']);
  });
});
