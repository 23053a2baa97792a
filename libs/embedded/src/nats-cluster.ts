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
  /** Waits until the running servers agree on a leader who counts all of them. @throws Error after 60 s */
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

async function agreed(servers: readonly NatsServer[], size: number): Promise<boolean> {
  const views = await Promise.all(servers.map(async (server) => {
    try {
      const response = await fetch(`${server.monitoringUrl}/jsz`, { signal: AbortSignal.timeout(2_000) });
      return ((await response.json()) as { meta_cluster?: { leader?: string; cluster_size: number } }).meta_cluster;
    } catch {
      return undefined; // a server that is down takes no part
    }
  }));
  const present = views.filter((view) => view !== undefined);
  const leaders = new Set(present.map((view) => view.leader));
  return present.length > size / 2 && leaders.size === 1 && !leaders.has(undefined) && !leaders.has('') && present.every((view) => view.cluster_size === size);
}
