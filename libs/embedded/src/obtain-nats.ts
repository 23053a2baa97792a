import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { natsFromDebian } from './nats-from-debian.js';
import { natsFromGo } from './nats-from-go.js';
import { NATS_MINIMUM, requireSuitable } from './nats-version.js';
import { findOnPath, isExecutable } from './run-tool.js';

export interface ObtainOptions {
  /** Where a fetched server is kept. Default: `cacheFolder()`. */
  readonly cacheDir?: string;
  /** One line of progress. */
  readonly log?: (line: string) => void;
  readonly env?: NodeJS.ProcessEnv;
}

interface Way {
  readonly name: string;
  /** The program's path. Throws when this way does not lead to one, saying why. */
  readonly take: () => Promise<string>;
}

/**
 * Path of a nats-server that suits. Tries in this order: NATS_SERVER_BIN, the search path, the cache, Debian's package
 * of a newer suite, `go install`. A server named by NATS_SERVER_BIN is taken or refused, never replaced by another.
 * @throws Error that names every way tried, why it failed, and the way out
 */
export async function obtainNatsServer(options: ObtainOptions = {}): Promise<string> {
  const env = options.env ?? process.env;
  const log = options.log ?? (() => {});
  if (env.NATS_SERVER_BIN) return given(env.NATS_SERVER_BIN, log);
  const failures: string[] = [];
  for (const way of waysTo(options.cacheDir ?? cacheFolder(env), env, log)) {
    try {
      const binary = await way.take();
      log(`nats-server ${await requireSuitable(binary)} from ${way.name}: ${binary}`);
      return binary;
    } catch (error) {
      log(`no nats-server from ${way.name}: ${(error as Error).message}`);
      failures.push(`  ${way.name}: ${(error as Error).message}`);
    }
  }
  throw new Error([`No nats-server ${NATS_MINIMUM} or newer could be had. Tried:`, ...failures,
    'Way out: install one (https://docs.nats.io has how) and put it on the search path, or name it in NATS_SERVER_BIN.'].join('\n'));
}

async function given(binary: string, log: (line: string) => void): Promise<string> {
  try {
    log(`nats-server ${await requireSuitable(binary)} from NATS_SERVER_BIN: ${binary}`);
    return binary;
  } catch (error) {
    throw new Error(`NATS_SERVER_BIN names a server that cannot be used: ${(error as Error).message}`);
  }
}

function waysTo(cacheDir: string, env: NodeJS.ProcessEnv, log: (line: string) => void): Way[] {
  const cached = join(cacheDir, 'nats-server', 'nats-server');
  const fetchInto = (make: (target: string) => Promise<void>) => () => intoCache(cached, make);
  return [
    { name: 'the search path', take: async () => suitableOnPath(env) },
    { name: 'the cache', take: async () => (await isExecutable(cached) ? cached : refuse(`nothing at ${cached}`)) },
    { name: "Debian's package", take: fetchInto((target) => natsFromDebian(target, env, log)) },
    { name: 'go install', take: fetchInto((target) => natsFromGo(target, env, log)) },
  ];
}

async function suitableOnPath(env: NodeJS.ProcessEnv): Promise<string> {
  const binary = await findOnPath('nats-server', env) ?? refuse('there is no nats-server on it');
  await requireSuitable(binary);
  return binary;
}

/** Checked before it comes to stand in the cache, by a rename, so that a half-fetched one is never found there. */
async function intoCache(cached: string, make: (target: string) => Promise<void>): Promise<string> {
  const folder = join(cached, '..');
  await mkdir(folder, { recursive: true });
  const work = await mkdtemp(join(folder, 'fetch-'));
  try {
    const target = join(work, 'nats-server');
    await make(target);
    await chmod(target, 0o755);
    await requireSuitable(target);
    await rename(target, cached);
    return cached;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function refuse(why: string): never {
  throw new Error(why);
}
