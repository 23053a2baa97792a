import { join } from 'node:path';
import { withFreePorts } from './free-port.js';
import { startNats, type NatsOptions, type NatsServer } from './nats.js';

export interface NatsClusterOptions extends Pick<NatsOptions, 'binary' | 'dir' | 'authConf' | 'syncAlways'> {
  /** Default 3. */
  readonly size?: number;
}

export interface NatsCluster {
  readonly servers: readonly NatsServer[];
  /** One a server, for the client's list. */
  readonly urls: readonly string[];
  /** Waits until the running servers agree on a running meta leader. A stream's own leader may take longer. @throws Error after 60 s */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

const SETTLE_TIMEOUT_MS = 60_000;
/** A raft election has no event to wait for from outside. */
const LOOK_MS = 50;

/** Servers that form one JetStream cluster on loopback, each with a store of its own; ready when it has a meta leader. */
export async function startNatsCluster(options: NatsClusterOptions): Promise<NatsCluster> {
  const size = options.size ?? 3;
  return withFreePorts(size, async (routes) => {
    const starts = await Promise.allSettled(routes.map((_, index) => startNats({
      ...options,
      dir: join(options.dir, `node-${index + 1}`),
      serverName: `node-${index + 1}`,
      config: clusterText(routes, index),
    })));
    const servers = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
    const stop = async () => { await Promise.all(servers.map((server) => server.stop())); };
    const settled = () => waitForLeader(servers, size);
    try {
      for (const start of starts) if (start.status === 'rejected') throw start.reason;
      await settled();
    } catch (error) {
      await stop();
      throw error;
    }
    return { servers, urls: servers.map((server) => server.url), settled, stop };
  });
}

function clusterText(routes: readonly number[], index: number): string {
  const others = routes.filter((_, other) => other !== index).map((port) => `"nats://127.0.0.1:${port}"`);
  return `http: "127.0.0.1:-1"\ncluster { name: countersign, listen: "127.0.0.1:${routes[index]}", routes: [${others.join(', ')}] }`;
}

async function waitForLeader(servers: readonly NatsServer[], size: number): Promise<void> {
  const deadline = Date.now() + SETTLE_TIMEOUT_MS;
  while (!await agreed(servers, size)) {
    if (Date.now() > deadline) throw new Error(`the cluster has no leader after ${SETTLE_TIMEOUT_MS} ms; see ${servers.map((server) => server.logFile).join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

interface View { readonly server: string; readonly leader?: string; readonly clusterSize: number }

/** A majority runs, and every one of them names the same leader, who runs too: a dead one is named for some seconds more. */
async function agreed(servers: readonly NatsServer[], size: number): Promise<boolean> {
  const running = (await Promise.all(servers.map(viewOf))).filter((view) => view !== undefined);
  const leader = running[0]?.leader;
  return running.length > size / 2
    && running.some(({ server }) => server === leader)
    && running.every((view) => view.leader === leader && view.clusterSize === size);
}

/** Undefined: this server does not answer. */
async function viewOf({ monitoringUrl }: NatsServer): Promise<View | undefined> {
  const ask = async <T>(path: string): Promise<T> => (await fetch(`${monitoringUrl}${path}`, { signal: AbortSignal.timeout(2_000) })).json() as Promise<T>;
  try {
    const { server_name: server } = await ask<{ server_name: string }>('/varz');
    const { meta_cluster: meta } = await ask<{ meta_cluster?: { leader?: string; cluster_size: number } }>('/jsz');
    return { server, leader: meta?.leader, clusterSize: meta?.cluster_size ?? 0 };
  } catch {
    return undefined;
  }
}
