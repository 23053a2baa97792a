import { mkdir, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ChildServer } from './child-server.js';
import { seemsToRun, stillRunning } from './running-process.js';

export interface NatsOptions {
  /** Path of the program, from `obtainNatsServer`. */
  readonly binary: string;
  /** Configuration, log and store; created when missing, kept when it is there. Absolute. */
  readonly dir: string;
  /** Configuration text added at top level: accounts, users (`libs/broker`, `natsConfiguration`). May hold passwords. */
  readonly authConf?: string;
  /** More configuration text, e.g. a cluster. */
  readonly config?: string;
  readonly serverName?: string;
  /** Every acknowledged message is on the disk (`sync_interval: always`). Default true; false is for measuring. */
  readonly syncAlways?: boolean;
  /** 0 (default): a free one. */
  readonly port?: number;
  /** It was up, and has ended without being told to: `restart` brings it back. */
  readonly onCrash?: () => void;
}

export interface NatsServer {
  /** `nats://127.0.0.1:<port>`, the same over restarts. */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly logFile: string;
  /** Where the server answers HTTP, when the configuration says `http`. */
  readonly monitoringUrl: string | undefined;
  /** Orderly. Idempotent. */
  stop(): Promise<void>;
  /** SIGKILL, as a crash. */
  kill(): Promise<void>;
  /** Starts again on the same port and store, stopping it first if it runs. New text replaces the accounts. */
  restart(authConf?: string): Promise<void>;
  /** Freezes the process: connections stay, nothing answers any more when this returns. */
  pause(): Promise<void>;
  resume(): void;
}

interface Ports { readonly nats: readonly string[]; readonly monitoring?: readonly string[] }

const READY_TIMEOUT_MS = 60_000;

/**
 * One server with JetStream on loopback and file storage, ready to be connected to.
 * @throws Error with the end of the server's log, or when a server runs on `dir`
 */
export async function startNats(given: NatsOptions): Promise<NatsServer> {
  await mkdir(given.dir, { recursive: true });
  const options = { ...given, dir: await realpath(given.dir) }; // one name for one folder: it tells a server that runs on it
  let running = await launch(options, options.port ?? 0);
  const { port, url } = running;
  const logFile = join(options.dir, 'nats.log');
  let authConf = options.authConf;
  return {
    url, port, logFile,
    get pid() { return running.child.pid; },
    get monitoringUrl() { return running.monitoringUrl; },
    stop: () => running.child.stop(),
    kill: () => running.child.kill(),
    async restart(newAuthConf?: string) {
      await running.child.stop();
      authConf = newAuthConf ?? authConf;
      running = await launch({ ...options, authConf }, port);
    },
    pause: () => running.child.freeze(),
    resume: () => running.child.signal('SIGCONT'),
  };
}

async function launch(options: NatsOptions, port: number) {
  const pidFile = join(options.dir, 'nats.pid');
  const configFile = join(options.dir, 'nats.conf');
  const other = await stillRunning({ path: pidFile, folder: options.dir, isOurs: (argv) => argv.some((argument) => argument.includes(configFile)) });
  if (other !== undefined) throw seemsToRun('NATS', other, options.dir);
  await writeFile(configFile, configText(options, port), { mode: 0o600 });
  await removePortsFiles(options.dir);
  const child = await ChildServer.spawn({
    name: 'nats-server',
    command: [options.binary, '-c', configFile, '--ports_file_dir', options.dir, '--pid', pidFile],
    logFile: join(options.dir, 'nats.log'),
    stopSignal: 'SIGTERM',
  });
  const ports = await child.ready(options.dir, () => readPorts(options.dir), READY_TIMEOUT_MS);
  if (options.onCrash) child.whenCrashed(options.onCrash);
  const actual = Number(new URL(ports.nats[0]!).port);
  return { child, port: actual, url: `nats://127.0.0.1:${actual}`, monitoringUrl: ports.monitoring?.[0] };
}

/** The server writes its ports only once it accepts connections; port -1 lets it choose, so nobody can take it first. */
function configText(options: NatsOptions, port: number): string {
  return [
    `listen: "127.0.0.1:${port === 0 ? -1 : port}"`,
    `server_name: "${options.serverName ?? 'countersign'}"`,
    `jetstream { store_dir: ${JSON.stringify(join(options.dir, 'store'))}${options.syncAlways === false ? '' : ', sync_interval: always'} }`,
    options.config ?? '',
    options.authConf ?? '',
    '',
  ].join('\n');
}

async function removePortsFiles(dir: string): Promise<void> {
  for (const file of await portsFiles(dir)) await rm(join(dir, file), { force: true });
}

async function readPorts(dir: string): Promise<Ports | undefined> {
  const [file] = await portsFiles(dir);
  if (!file) return undefined;
  try {
    return JSON.parse(await readFile(join(dir, file), 'utf8')) as Ports;
  } catch {
    return undefined; // half written: the next change of the folder brings us back
  }
}

const portsFiles = async (dir: string) => (await readdir(dir)).filter((file) => file.endsWith('.ports'));
