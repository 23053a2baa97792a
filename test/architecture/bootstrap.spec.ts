import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeProblem } from '../../scripts/bootstrap.mjs';
import { whyDependenciesDoNotFit } from '../../scripts/support/dependencies.mjs';
import { cloneWorkingTree } from './clone.js';

describe('bootstrap', () => {
  it('takes Node 20.19 and newer, and tells an older one what to do', () => {
    expect(['20.19.0', '20.20.2', '22.1.0', '24.0.0'].map(nodeProblem)).toEqual([undefined, undefined, undefined, undefined]);
    expect(['18.20.0', '20.18.1', ''].map(nodeProblem)).toEqual(Array.from({ length: 3 }, () => expect.stringMatching(/needs Node 20\.19 or newer/)));
  });

  it('tells what cannot be found in its own words, without a stack', () => {
    const clone = cloneWorkingTree();
    try {
      clone.write('.swcrc', '{ "jsc": ');
      const { code, output } = clone.run('scripts/bootstrap.mjs');
      expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('modules failed') });
      expect(output).not.toMatch(/at .*build\.mjs:\d+/);
    } finally {
      clone.remove();
    }
  }, 120_000);
});

describe('whether the dependencies fit the lock', () => {
  let root: string;
  const lock = (path: string, packages: object) => writeFileSync(join(root, path), JSON.stringify({ packages }));
  const HIDDEN = 'node_modules/.package-lock.json';

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'countersign-lock-'));
    mkdirSync(join(root, 'node_modules', '@countersign', 'kernel'), { recursive: true });
    lock('package-lock.json', {
      '': { name: 'countersign' },
      'node_modules/a': { version: '1.0.0' },
      'node_modules/for-another-platform': { version: '1.0.0', optional: true },
      'node_modules/@countersign/kernel': { resolved: 'libs/kernel', link: true },
    });
    lock(HIDDEN, { 'node_modules/a': { version: '1.0.0' } });
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  it('says nothing when they do, whoever installed them', () => {
    expect(whyDependenciesDoNotFit(root)).toBeUndefined();
  });

  it('names what is missing, of another version or not linked', () => {
    lock(HIDDEN, {});
    expect(whyDependenciesDoNotFit(root)).toBe('node_modules/a is missing');
    lock(HIDDEN, { 'node_modules/a': { version: '2.0.0' } });
    expect(whyDependenciesDoNotFit(root)).toBe('node_modules/a is 2.0.0, the lock says 1.0.0');
    lock(HIDDEN, { 'node_modules/a': { version: '1.0.0' } });
    rmSync(join(root, 'node_modules', '@countersign'), { recursive: true });
    expect(whyDependenciesDoNotFit(root)).toBe('node_modules/@countersign/kernel is not linked');
  });

  it('does not trust an installation that was cut short', () => {
    rmSync(join(root, HIDDEN));
    expect(whyDependenciesDoNotFit(root)).toBe('the last installation did not come to its end');
    rmSync(join(root, 'node_modules'), { recursive: true });
    expect(whyDependenciesDoNotFit(root)).toBe('there is no node_modules');
  });

  it('stops when the lock itself is damaged', () => {
    writeFileSync(join(root, 'package-lock.json'), '{');
    expect(() => whyDependenciesDoNotFit(root)).toThrow('package-lock.json is missing or damaged');
  });
});
