import { AckPolicy, jetstream, jetstreamManager, RetentionPolicy, StorageType, type ConsumerMessages } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { atRate, saturated } from './http-load.js';

/** The bare thing: publish, acknowledge, consume, publish on, acknowledge, see it. No accounts, no folds, no HTTP. */
export interface Yardstick {
  /** Milliseconds from the first publish to the second message seen, at this rate. */
  latencies(perSecond: number, seconds: number): Promise<number[]>;
  perSecond(parallel: number, seconds: number): Promise<number>;
  close(): Promise<void>;
}

/** About what a plan of three small items weighs in the log. */
const BODY = Buffer.alloc(1_500, 0x61);

export async function twoHopPipeline(url: string): Promise<Yardstick> {
  const connections = await Promise.all([0, 1, 2].map(() => connect({ servers: url, noAsyncTraces: true })));
  const [publisher, worker, watcher] = connections as [NatsConnection, NatsConnection, NatsConnection];
  await makeStreams(publisher);
  const hop = await forward(worker);
  const seen = watch(watcher);
  const js = jetstream(publisher);
  let next = 0;
  const once = async (): Promise<number> => {
    const id = String(next++);
    const started = performance.now();
    const arrived = seen.expect(id);
    await js.publish(`yard.a.${id}`, BODY);
    await arrived;
    return performance.now() - started;
  };
  return {
    latencies: (perSecond, seconds) => atRate(perSecond, seconds, once),
    perSecond: async (parallel, seconds) => (await saturated(parallel, seconds, once)).perSecond,
    close: async () => {
      await hop.close();
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

async function makeStreams(connection: NatsConnection): Promise<void> {
  const manager = await jetstreamManager(connection);
  for (const hop of ['a', 'b']) {
    await manager.streams.add({ name: `YARD_${hop.toUpperCase()}`, subjects: [`yard.${hop}.*`], storage: StorageType.File, retention: RetentionPolicy.Limits });
  }
  await manager.consumers.add('YARD_A', { durable_name: 'worker', ack_policy: AckPolicy.Explicit, max_ack_pending: 10_000 });
}

/** The second message is seen before its acknowledgement is: closing waits for what is under way. */
async function forward(connection: NatsConnection): Promise<{ close(): Promise<void> }> {
  const js = jetstream(connection);
  const consumer = await js.consumers.get('YARD_A', 'worker');
  const underWay = new Set<Promise<void>>();
  const messages: ConsumerMessages = await consumer.consume({
    max_messages: 1_000,
    callback: (message) => {
      const done = js.publish(`yard.b.${message.subject.split('.')[2]}`, message.data).then(() => message.ack()).finally(() => underWay.delete(done));
      underWay.add(done);
    },
  });
  return {
    close: async () => {
      await messages.close();
      await Promise.all(underWay);
    },
  };
}

function watch(connection: NatsConnection): { expect(id: string): Promise<void> } {
  const waiting = new Map<string, () => void>();
  connection.subscribe('yard.b.*', {
    callback: (_, message) => {
      const id = message.subject.split('.')[2]!;
      waiting.get(id)?.();
      waiting.delete(id);
    },
  });
  return { expect: (id) => new Promise((resolve) => waiting.set(id, resolve)) };
}
