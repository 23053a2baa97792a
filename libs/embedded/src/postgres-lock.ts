import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { seemsToRun, stillRunning } from './running-process.js';

/**
 * Clears what a crash left in a data folder. PostgreSQL itself refuses to start when the process number in its
 * `postmaster.pid` is in use by anything, which after a restart of a container it often is.
 * @throws Error when a PostgreSQL server really runs on the folder
 */
export async function clearStaleLock(dataDir: string): Promise<void> {
  const path = join(dataDir, 'postmaster.pid');
  const pid = await stillRunning({ path, folder: dataDir, isOurs: ([program = '']) => /postgres|postmaster/.test(program) });
  if (pid !== undefined) throw seemsToRun('PostgreSQL', pid, dataDir);
  await rm(path, { force: true });
}

/** Whether the server with this process number says that it takes connections. */
export async function saysReady(dataDir: string, pid: number): Promise<true | undefined> {
  const lines = (await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  return Number(lines[0]) === pid && lines[7]?.trim() === 'ready' ? true : undefined;
}
