import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runTool } from './run-tool.js';
import { watchUntil } from './watch-until.js';

/** A server whose starter was killed ends by itself; this long it is waited for. */
const ORPHAN_TIMEOUT_MS = 10_000;

/**
 * Clears what a crash left in a data folder. PostgreSQL itself refuses to start when the process number in its
 * `postmaster.pid` is in use by anything, which after a restart of a container it often is.
 * @throws Error when a PostgreSQL server really runs on the folder
 */
export async function clearStaleLock(dataDir: string): Promise<void> {
  const free = async () => (await lockHolder(dataDir) === undefined ? true : undefined);
  if (!await watchUntil(dataDir, free, { timeoutMs: ORPHAN_TIMEOUT_MS, giveUp: new Promise(() => {}) })) {
    throw new Error(`A PostgreSQL server (process ${await lockHolder(dataDir)}) uses ${dataDir}: Countersign seems to run already. `
      + 'Way out: stop it, or set COUNTERSIGN_STATE to another folder.');
  }
  await rm(join(dataDir, 'postmaster.pid'), { force: true });
}

/** Undefined when no server runs there. */
async function lockHolder(dataDir: string): Promise<number | undefined> {
  const pid = Number((await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
  return pid > 0 && /postgres|postmaster/.test(await commandOf(pid)) ? pid : undefined;
}

/** Empty when there is no such process. */
async function commandOf(pid: number): Promise<string> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0')[0]!;
  } catch {
    if (process.platform === 'linux') return '';
    return runTool('ps', ['-o', 'comm=', '-p', String(pid)], { timeoutMs: 5_000 }).catch(() => '');
  }
}

/** Whether the server with this process number says that it takes connections. */
export async function saysReady(dataDir: string, pid: number): Promise<true | undefined> {
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready' ? true : undefined;
}
