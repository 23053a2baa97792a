import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, newStateFolder, startGate } from './support/commands.js';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const blocks = [...README.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((match) => match[1]!);
/** Run by the test itself (the gate), or running the test itself. */
const byHand = ['npm start\n', 'npm test\n'];

describe('the README', () => {
  it('begins with two commands that package.json has', () => {
    expect(blocks.slice(0, 2)).toEqual(byHand);
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: Record<string, string> };
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test', 'bench']));
  });

  it('says nothing that does not run', async () => {
    const state = await newStateFolder();
    const gate = await startGate(state.folder);
    try {
      const script = ['set -euo pipefail', ...blocks.filter((block) => !byHand.includes(block))].join('\n');
      const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
      const shell = spawn('bash', ['-c', script], { cwd: ROOT, env: { ...inherited, ...gate.env }, stdio: ['ignore', 'pipe', 'pipe'] });
      let output = '';
      for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => { output += chunk.toString(); });
      const [code] = await once(shell, 'close');
      expect({ code, output: code === 0 ? '' : output }).toEqual({ code: 0, output: '' });
      for (const part of ['-hello', '+hello, world', 'hello, world', 'identical up to', 'version 1 is in force']) expect(output).toContain(part);
    } finally {
      await gate.stop();
      await state.remove();
    }
  }, 180_000);

  it('links only to what is there', () => {
    const links = [...README.matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map((match) => match[1]!);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect(() => readFileSync(join(ROOT, link), { flag: 'r' })).not.toThrow(/ENOENT/);
  });
});
