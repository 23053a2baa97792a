import { spawn } from 'node:child_process';
import { ROOT } from './root.mjs';

/**
 * Runs a program to its end in the project's folder. Interrupts reach the child through the terminal's process group;
 * a SIGTERM to this process is handed on.
 * @returns {Promise<{ code: number, output: string }>} `output` is filled only with `capture: true` (stdout and stderr as they came);
 *   a child that died of a signal has the code 128
 */
export function run(program, args, { env = {}, stdio = ['ignore', 2, 2], capture = false, cwd = ROOT } = {}) {
  return new Promise((done, fail) => {
    const child = spawn(program, args, { cwd, env: { ...process.env, ...env }, stdio: capture ? ['ignore', 'pipe', 'pipe'] : stdio });
    const handOn = () => child.kill('SIGTERM');
    process.once('SIGTERM', handOn);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (text) => { output += text; });
    child.once('error', fail);
    child.once('close', (code) => {
      process.removeListener('SIGTERM', handOn);
      done({ code: code ?? 128, output });
    });
  });
}

/** The same with this Node and one of our scripts or of node_modules. */
export const runNode = (args, options) => run(process.execPath, args, options);
