import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ownIdentity, stillRuns, type ProcessIdentity } from './process-identity.js';

/** How long another's taking over is waited for before looking again. */
const LOOK_AGAIN_MS = 20;

/**
 * One gate a state folder. A lock whose process is gone is taken over. The file is written whole and then linked into its
 * place, so nobody ever sees it half written.
 * @throws Error naming the process that holds it
 */
export async function lockState(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = join(folder, 'running.pid');
  const draft = `${lock}.${randomBytes(6).toString('hex')}.new`;
  const self = await ownIdentity();
  await writeFile(draft, `${self.pid}\n${self.startedAt}\n`, { mode: 0o600 });
  try {
    while (!(await links(draft, lock)) && !(await takesOver(draft, lock, folder)));
  } finally {
    await rm(draft, { force: true });
  }
  return () => rm(lock, { force: true });
}

/** One at a time: otherwise the second would take over from the first. False: look again. @throws Error when a gate runs */
async function takesOver(draft: string, lock: string, folder: string): Promise<boolean> {
  const holder = await holderOf(lock);
  if (holder && (await stillRuns(holder))) {
    throw new Error(`A gate already runs on ${folder} (process ${holder.pid}). Stop it, or give this one another folder with COUNTERSIGN_STATE.`);
  }
  const turn = `${lock}.takeover`;
  if (!(await links(draft, turn))) {
    const other = await holderOf(turn);
    if (other && (await stillRuns(other))) await sleep(LOOK_AGAIN_MS);
    else await rm(turn, { force: true });
    return false;
  }
  try {
    const now = await holderOf(lock);
    if (!now || (await stillRuns(now))) return false;
    await rename(draft, lock);
    return true;
  } finally {
    await rm(turn, { force: true });
  }
}

/** False when there is a file of that name already. */
async function links(draft: string, path: string): Promise<boolean> {
  try {
    await link(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Undefined when there is no lock. What is in no lock of ours names nobody that could run. */
async function holderOf(path: string): Promise<ProcessIdentity | undefined> {
  try {
    const [pid = '', startedAt = ''] = (await readFile(path, 'utf8')).split('\n');
    return { pid: Number(pid), startedAt };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
