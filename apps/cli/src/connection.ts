import { CountersignClient, CountersignError } from '@countersign/sdk';
import { localStatePath, readLocalState, stateFolder, type LocalState } from './local-state.js';

export interface ConnectionFlags {
  readonly url?: string;
  readonly key?: string;
  readonly json?: boolean;
}

export interface Connection {
  readonly url: string;
  readonly apiKey: string;
  /** Only for the gate that `npm start` runs here, by the key that was made here; `file` says where both stand. */
  readonly local?: LocalState;
  readonly file?: string;
  client(): CountersignClient;
}

/**
 * Flags win over COUNTERSIGN_URL and COUNTERSIGN_KEY, which win over what `npm start` wrote. The key that was made here is
 * sent to the gate that ran here and to no other address.
 * @param who in whose name: a tenant's key, or with COUNTERSIGN_OPERATOR_KEY in its place the installation's operator
 * @throws CountersignError UNAUTHENTICATED when no gate is known
 */
export function connectionOf(flags: ConnectionFlags, root: string, env: NodeJS.ProcessEnv = process.env, who: 'tenant' | 'operator' = 'tenant'): Connection {
  const [keyName, localKey] = who === 'operator' ? ['COUNTERSIGN_OPERATOR_KEY', 'operatorKey'] as const : ['COUNTERSIGN_KEY', 'key'] as const;
  const folder = stateFolder(root, env);
  const local = readLocalState(folder);
  const [namedUrl, namedKey] = [flags.url ?? env['COUNTERSIGN_URL'], flags.key ?? env[keyName]];
  const url = namedUrl ?? local?.url;
  const apiKey = namedKey ?? (url === local?.url ? local?.[localKey] : undefined);
  if (!url || !apiKey) throw new CountersignError('UNAUTHENTICATED', 0, url ? keyMissing(url, keyName) : NO_GATE);
  const isLocal = local !== undefined && url === local.url && apiKey === local[localKey];
  return { url, apiKey, ...(isLocal ? { local, file: localStatePath(folder) } : {}), client: () => new CountersignClient({ url, apiKey }) };
}

const NO_GATE = 'No gate is known: run `npm start` here first, or give --url and --key (or COUNTERSIGN_URL and COUNTERSIGN_KEY)';
const keyMissing = (url: string, keyName: string): string => `Give --key (or ${keyName}) for ${url}; the key of the gate that ran here is not sent elsewhere`;

/** What `npm start` left here, whatever the flags say. */
export const localState = (root: string): LocalState | undefined => readLocalState(stateFolder(root));

/**
 * The error in words that help: the file that names the gate outlives it, so behind its address may be nothing, or something else.
 * Of a gate that was named by the caller the error says enough.
 */
export function toldOf(error: unknown, { url, local, file }: Pick<Connection, 'url' | 'local' | 'file'>): unknown {
  if (!local || !(error instanceof CountersignError)) return error;
  const { code, status } = error;
  const says = (what: string): CountersignError => new CountersignError(code, status, what, error.details, error.correlationId);
  if (code === 'UNAVAILABLE' && status === 0) return says(`The gate does not run: nothing answers at ${url}, where it ran last (${file}). Start it with \`npm start\`; its data is kept.`);
  if (code === 'UNAUTHENTICATED' && status === 401) return says(`The gate at ${url} does not know the key in ${file}: it is another one. Stop that one and run \`npm start\` here, or give --url and --key.`);
  if (code === 'INTERNAL' && !error.correlationId) return says(`At ${url}, where the gate ran last (${file}), something else answers now. Run \`npm start\`, which says where the gate is.`);
  return error;
}
