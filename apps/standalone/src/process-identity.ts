import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process for as long as it lives: its number alone is given again, in a restarted container often to the same program. */
export interface ProcessIdentity {
  readonly pid: number;
  /** When it began, in the words of the operating system; only good for comparing. */
  readonly startedAt: string;
}

export async function ownIdentity(): Promise<ProcessIdentity> {
  const startedAt = await startOf(process.pid);
  if (startedAt === undefined) throw new Error(`the operating system does not say when process ${process.pid} began`);
  return { pid: process.pid, startedAt };
}

export const stillRuns = async ({ pid, startedAt }: ProcessIdentity): Promise<boolean> => (await startOf(pid)) === startedAt;

/** Undefined when no such process runs; one that has ended and was not waited for does not run. */
async function startOf(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return psStart(pid);
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  // The name of the program comes before, in parentheses, and may hold blanks and parentheses.
  const [state, ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return state === undefined || /^[ZX]?$/.test(state) ? undefined : fields[LINUX_START];
}

/** `starttime` is the 22nd field of proc(5) stat, the 19th after the state. */
const LINUX_START = 18;

async function psStart(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], { env: { ...process.env, LC_ALL: 'C' }, timeout: 5_000 });
    return stdout.trim() || undefined;
  } catch {
    return undefined;
  }
}
