import { readFile } from 'node:fs/promises';
import { runTool } from './run-tool.js';
import { watchUntil } from './watch-until.js';

/** A server whose starter was killed ends by itself; this long it is waited for. */
const ORPHAN_TIMEOUT_MS = 10_000;

export interface PidFile {
  readonly path: string;
  /** Folder it lies in. */
  readonly folder: string;
  /** Whether a process with these arguments is such a server; a number that another program got since is nobody. */
  readonly isOurs: (argv: readonly string[]) => boolean;
}

/**
 * Waits for the end of the server that the file names; two on one folder would destroy each other's data.
 * @returns its process number when it does not end, undefined when there is none
 */
export async function stillRunning(file: PidFile): Promise<number | undefined> {
  const gone = async () => (await holder(file) === undefined ? true : undefined);
  const ended = await watchUntil(file.folder, gone, { timeoutMs: ORPHAN_TIMEOUT_MS, giveUp: new Promise(() => {}) });
  return ended ? undefined : holder(file);
}

async function holder({ path, isOurs }: PidFile): Promise<number | undefined> {
  const pid = Number((await readFile(path, 'utf8').catch(() => '')).split('\n')[0]);
  return pid > 0 && isOurs(await argumentsOf(pid)) ? pid : undefined;
}

/** Empty when there is no such process. */
async function argumentsOf(pid: number): Promise<string[]> {
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0');
  } catch {
    if (process.platform === 'linux') return [];
    return [await runTool('ps', ['-o', 'command=', '-p', String(pid)], { timeoutMs: 5_000 }).catch(() => '')];
  }
}

export const seemsToRun = (server: string, pid: number, folder: string): Error =>
  new Error(`A ${server} server (process ${pid}) uses ${folder}: Countersign seems to run already. Way out: stop it, or set COUNTERSIGN_STATE to another folder.`);
