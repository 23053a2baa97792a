import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `npm start` leaves for this machine's own user, mode 0600. */
export interface LocalState {
  readonly url: string;
  readonly tenant: string;
  /** Key of the local administrator: every role. */
  readonly key: string;
  /** Of the installation's operator: registers tenants, issues keys to those that lost theirs, has the audit rebuilt; sees nothing of any tenant. */
  readonly operatorKey: string;
  /** Principals of the demonstration: the agent proposes, the operator answers. */
  readonly demo: { readonly agentKey: string; readonly operatorKey: string };
}

/** The project's own folder, three above this file both as source and as built. */
export const projectRoot = (): string => fileURLToPath(new URL('../../..', import.meta.url));

/** Where the project keeps what it makes: COUNTERSIGN_STATE, else `.countersign` under the given folder. */
export const stateFolder = (root: string, env: NodeJS.ProcessEnv = process.env): string =>
  resolve(env['COUNTERSIGN_STATE'] ?? join(root, '.countersign'));

export const localStatePath = (folder: string): string => join(folder, 'local.json');

/** Undefined when nothing was ever started here. @throws Error when the file is there and is not readable JSON */
export function readLocalState(folder: string): LocalState | undefined {
  const path = localStatePath(folder);
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text) as LocalState;
  } catch {
    throw new Error(`${path} is not readable JSON; remove it and run \`npm start\`, which writes it again`);
  }
}
