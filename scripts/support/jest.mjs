import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT, inRoot } from './root.mjs';
import { say } from './say.mjs';

/** Jest runs ES modules only with this flag; its warning says nothing new on every run. */
export const JEST_ENV = {
  NODE_OPTIONS: [process.env.NODE_OPTIONS, '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'].filter(Boolean).join(' '),
};

/** How long a run that has written its result may take to end. What then still holds it open would hang a build for ever. */
const END_MS = 30_000;

/**
 * Runs all specs and reads jest's own result.
 * @returns {Promise<{ code: number, passed: number, failed: number, skipped: number }>} a spec file that could not run counts
 *   as one failure
 */
export async function runJest(args) {
  const resultFile = inRoot('reports', 'jest.json');
  mkdirSync(inRoot('reports'), { recursive: true });
  rmSync(resultFile, { force: true });
  const command = [inRoot('node_modules', 'jest', 'bin', 'jest.js'), '--json', `--outputFile=${resultFile}`, ...args];
  const child = spawn(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...JEST_ENV }, stdio: ['ignore', 'ignore', 2] });
  const handOn = () => child.kill('SIGTERM');
  process.once('SIGTERM', handOn);
  const ended = new Promise((done, fail) => child.once('error', fail).once('close', (code) => done(code ?? 128)));
  const code = await Promise.race([ended, hangs(resultFile, child)]);
  process.removeListener('SIGTERM', handOn);
  return { code, ...countsIn(resultFile) };
}

/** Settles only when the result is there and the process does not end. */
async function hangs(resultFile, child) {
  const running = () => child.exitCode === null && child.signalCode === null;
  while (running() && !existsSync(resultFile)) await sleep(500, undefined, { ref: false });
  await sleep(END_MS, undefined, { ref: false });
  if (!running()) return new Promise(() => {});
  say(`test: jest wrote its result ${END_MS / 1000} s ago and does not end: a spec left a server, timer or socket open (jest --detectOpenHandles names it)`);
  child.kill('SIGKILL');
  return 1;
}

function countsIn(resultFile) {
  if (!existsSync(resultFile)) return { passed: 0, failed: 0, skipped: 0 };
  const result = JSON.parse(readFileSync(resultFile, 'utf8'));
  return {
    passed: result.numPassedTests,
    failed: result.numFailedTests + result.numRuntimeErrorTestSuites,
    skipped: result.numPendingTests + result.numTodoTests,
  };
}
