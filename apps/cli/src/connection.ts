import { CountersignClient, CountersignError } from '@countersign/sdk';
import { readLocalState, stateFolder, type LocalState } from './local-state.js';

export interface ConnectionFlags {
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
}

/** Flags win over COUNTERSIGN_URL and COUNTERSIGN_KEY, which win over what `npm start` wrote. */
export function connect(flags: ConnectionFlags, root: string): CountersignClient {
  const local = localState(root);
  const url = flags.url ?? process.env['COUNTERSIGN_URL'] ?? local?.url;
  const apiKey = flags.key ?? process.env['COUNTERSIGN_KEY'] ?? local?.key;
  if (!url || !apiKey) {
    throw new CountersignError('UNAUTHENTICATED', 0, 'No gate is known: run `npm start` here first, or give --url and --key (or COUNTERSIGN_URL and COUNTERSIGN_KEY)');
  }
  return new CountersignClient({ url, apiKey });
}

export const localState = (root: string): LocalState | undefined => readLocalState(stateFolder(root));
