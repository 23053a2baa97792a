import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { DiscardPolicy, jetstreamManager, StorageType, type JetStreamManager, type StreamConfig } from '@nats-io/jetstream';
import type { LogStream } from '@countersign/contracts';
import { obtainNatsServer, startNats, startNatsCluster, type NatsServer } from '@countersign/embedded';
import type { EncodedEvent } from '@countersign/event-log';
import type { LogUnderTest } from '@countersign/event-log/contract-suite';
import { headersOf } from '../src/header-block.js';
import { JetStreamEventLog } from '../src/index.js';

/** Streams as the services find them, without accounts. */
export interface BrokerUnderTest {
  readonly servers: readonly NatsServer[];
  /** A connection of its own, closed with the broker. */
  connect(server?: number): Promise<NatsConnection>;
  readonly manager: JetStreamManager;
  close(): Promise<void>;
}

const LOG_RULES: Partial<StreamConfig> = {
  storage: StorageType.File, deny_delete: true, deny_purge: true, allow_direct: true, republish: { src: 'evt.>', dest: 'live.evt.>' },
};
const BLOB_RULES: Partial<StreamConfig> = {
  storage: StorageType.File, deny_delete: true, deny_purge: true, allow_direct: true, discard: DiscardPolicy.New, max_msgs_per_subject: 1, discard_new_per_subject: true,
};

export const streamsFor = (replicas: number): (Partial<StreamConfig> & { name: string })[] => [
  { name: 'GATE', subjects: ['evt.*.*.plan.>', 'evt.*.*.session.>'], ...LOG_RULES, num_replicas: replicas },
  { name: 'CATALOG', subjects: ['evt.*.*.tenant.>', 'evt.*.*.provider.>', 'evt.*.*.policy.>'], ...LOG_RULES, num_replicas: replicas },
  { name: 'BLOBS', subjects: ['blob.>'], ...BLOB_RULES, num_replicas: replicas },
  { name: 'RESULTS', subjects: ['result.>'], ...BLOB_RULES, num_replicas: replicas },
  { name: 'TIMER_planner', subjects: ['timer.planner.>'], storage: StorageType.File, allow_direct: true, allow_msg_schedules: true, num_replicas: replicas },
];

export async function startBroker({ nodes = 1, syncAlways = false } = {}): Promise<BrokerUnderTest> {
  const dir = await mkdtemp(join(tmpdir(), 'event-log-'));
  const binary = await obtainNatsServer();
  const cluster = nodes > 1 ? await startNatsCluster({ binary, dir, size: nodes, syncAlways }) : undefined;
  const servers = cluster ? cluster.servers : [await startNats({ binary, dir, syncAlways })];
  const connections: NatsConnection[] = [];
  const open = async (server?: number): Promise<NatsConnection> => {
    const urls = server === undefined ? servers.map(({ url }) => url) : servers[server]!.url;
    const connection = await connect({ servers: urls, noAsyncTraces: true, maxReconnectAttempts: -1, reconnectTimeWait: 50, ignoreClusterUpdates: true });
    connections.push(connection);
    return connection;
  };
  const manager = await jetstreamManager(await open());
  for (const stream of streamsFor(nodes)) await manager.streams.add(stream);
  return {
    servers, manager, connect: open,
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
      await Promise.all(servers.map((server) => server.stop()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Every writer has a connection of its own, in a cluster to a server of its own. */
export async function logUnderTest(options: { nodes?: number; syncAlways?: boolean } = {}): Promise<LogUnderTest & { readonly broker: BrokerUnderTest }> {
  const broker = await startBroker(options);
  const forger = await broker.connect();
  let opened = 0;
  return {
    broker,
    open: async (author) => new JetStreamEventLog({ connection: await broker.connect(opened++ % broker.servers.length), author }),
    forge: async (_stream: LogStream, event: EncodedEvent) =>
      (await forger.request(event.subject, event.body, { headers: headersOf(event.headers), timeout: 5_000 })).json<{ seq: number }>().seq,
    close: () => broker.close(),
  };
}
