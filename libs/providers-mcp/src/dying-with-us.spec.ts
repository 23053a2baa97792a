import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { dyingWithUs, killedByKernel } from './dying-with-us.js';

/** A gate that starts a server as the adapter does, says when it works, and is then killed. The server has its effect half a second later. */
async function effectAfterKill(start: { readonly program: string; readonly args: readonly string[] }, file: string): Promise<boolean> {
  const source = `
    const child = require('node:child_process').spawn(${JSON.stringify(start.program)}, ${JSON.stringify(start.args)}, { detached: true, stdio: ['pipe', 'pipe', 'ignore'] });
    child.stdout.once('data', () => process.stdout.write('working'));
    setInterval(() => undefined, 1_000);`;
  const gate = spawn(process.execPath, ['-e', source], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(gate.stdout!, 'data');
  gate.kill('SIGKILL');
  await once(gate, 'exit');
  await sleep(1_500);
  return existsSync(file);
}

describe('a server of a gate that was killed', () => {
  const file = (): string => join(mkdtempSync(join(tmpdir(), 'orphan-')), 'effect');
  const server = (path: string): string => `process.stdout.write('x'); setTimeout(() => require('node:fs').writeFileSync(${JSON.stringify(path)}, ''), 500)`;

  it('does nothing any more where the kernel can see to it, and is known to go on where it cannot', async () => {
    const path = file();
    expect(await effectAfterKill(dyingWithUs(process.execPath, ['-e', server(path)]), path)).toBe(!killedByKernel);
  });

  it('would finish its call if the kernel did not kill it', async () => {
    const path = file();
    expect(await effectAfterKill({ program: process.execPath, args: ['-e', server(path)] }, path)).toBe(true);
  });
});
