import pg from 'pg';
import { startPostgres, type PostgresOptions } from './postgres.js';

export interface Database {
  readonly kind: 'given' | 'embedded';
  /** Holds a password: never log it. */
  readonly url: string;
  /** Starts an embedded server again; a given one is not ours to start. */
  restart(): Promise<void>;
  /** Stops an embedded server; leaves a given one alone. */
  stop(): Promise<void>;
}

const MINIMUM_MAJOR = 15;

/**
 * The database the gate writes its audit to: DATABASE_URL when it is set, else an embedded server. A given one that
 * does not answer or is too old is refused; it is never replaced by an embedded one, where the audit would be missed.
 * @throws Error that names the host and what is wrong, without the password
 */
export async function chooseDatabase(env: NodeJS.ProcessEnv, embedded: PostgresOptions): Promise<Database> {
  if (!env.DATABASE_URL) {
    const server = await startPostgres(embedded);
    return { kind: 'embedded', url: server.url, restart: server.restart, stop: server.stop };
  }
  await requireUsable(env.DATABASE_URL);
  return { kind: 'given', url: env.DATABASE_URL, restart: async () => {}, stop: async () => {} };
}

async function requireUsable(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  const where = `The database of DATABASE_URL (${hostOf(url)})`;
  try {
    await client.connect();
  } catch (error) {
    throw new Error(`${where} cannot be reached: ${(error as Error).message || (error as NodeJS.ErrnoException).code}`);
  }
  try {
    const version = Number((await client.query<{ server_version_num: string }>('SHOW server_version_num')).rows[0]!.server_version_num);
    if (version < MINIMUM_MAJOR * 10_000) throw new Error(`${where} is PostgreSQL ${Math.floor(version / 10_000)}; ${MINIMUM_MAJOR} or newer is needed`);
  } finally {
    await client.end();
  }
}

function hostOf(url: string): string {
  try {
    return new URL(url).host || 'local socket';
  } catch {
    return 'not a URL';
  }
}
