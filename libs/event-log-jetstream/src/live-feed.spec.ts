import type { NatsConnection } from '@nats-io/transport-node';
import { aggregateFilter, eventSubject, sessionFilter, tenantFilter, type AggregateKey, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import { NOWHERE, createAggregateStore, type EventLog } from '@countersign/event-log';
import { META, closed, newKey } from '@countersign/event-log/contract-suite';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { JetStreamEventLog, LiveFeed, readFrom, waitFor } from './index.js';

const fold = { initial: 0, evolve: (count: number) => count + 1 };
const until = async (met: () => boolean): Promise<void> => {
  for (let tries = 0; !met(); tries += 1) {
    if (tries > 200) throw new Error('it did not come about');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
};

describe('the live feed', () => {
  let broker: BrokerUnderTest;
  let connection: NatsConnection;
  let log: EventLog;
  let feed: LiveFeed;
  const faults: unknown[] = [];
  beforeAll(async () => {
    broker = await startBroker();
    connection = await broker.connect();
    log = new JetStreamEventLog({ connection: await broker.connect(), author: 'planner' });
    feed = new LiveFeed({ connection, onFault: (fault) => faults.push(fault), watchMs: 100 });
    await feed.start();
  });
  afterAll(async () => {
    feed?.stop();
    await broker?.close();
  });
  afterEach(() => expect(faults.splice(0)).toEqual([]));

  async function append(key: AggregateKey, times = 1): Promise<void> {
    for (let count = 0; count < times; count += 1) await log.append(key, await log.end(key), closed());
  }
  const store = () => createAggregateStore<number, PlanEvent>(log, fold);

  it('gives each listener what its filter says, in order, and nothing after it left', async () => {
    const key = newKey();
    const heard: Record<string, string[]> = {};
    const listen = (name: string, filter: string) => {
      heard[name] = [];
      return feed.listen(filter, { event: (event) => heard[name]!.push(`${event.key.id === key.id ? 'mine' : 'other'} ${event.rev}`), missed: () => heard[name]!.push('missed') });
    };
    const ways = [listen('plan', aggregateFilter(key)), listen('session', sessionFilter(key.tenant, key.session)), listen('tenant', tenantFilter(key.tenant)), listen('all', 'evt.>'), listen('foreign', tenantFilter('acm'))];
    await append(key, 2);
    await append(newKey());
    await until(() => heard.all!.length === 3);
    expect(heard).toEqual({
      plan: ['mine 1', 'mine 2'], session: ['mine 1', 'mine 2'], tenant: ['mine 1', 'mine 2', 'other 1'], all: ['mine 1', 'mine 2', 'other 1'], foreign: [],
    });
    ways.forEach((leave) => leave());
    const all = feed.stream('evt.>');
    await append(key);
    for await (const event of all) {
      expect(event.rev).toBe(3);
      break;
    }
    all.end('closed');
    expect(heard.plan).toHaveLength(2);
    expect(() => feed.listen('evt.*.>', { event: () => undefined, missed: () => undefined })).toThrow(TypeError);
  });

  it('waits for a state without missing what came before, between or after', async () => {
    const key = newKey();
    await append(key);
    const already = await waitFor(feed, store(), key, (count) => count === 1, { timeoutMs: 2_000 });
    expect(already).toMatchObject({ met: true, folded: { state: 1 } });
    const waiting = waitFor(feed, store(), key, (count) => count === 3, { timeoutMs: 5_000 });
    await append(key, 2);
    expect(await waiting).toMatchObject({ met: true, folded: { state: 3, position: { rev: 3 } } });
    const racing = Array.from({ length: 20 }, async () => {
      const raced = newKey();
      const [waited] = await Promise.all([waitFor(feed, store(), raced, (count) => count === 2, { timeoutMs: 5_000 }), append(raced, 2)]);
      return waited.met;
    });
    expect(await Promise.all(racing)).toEqual(Array.from({ length: 20 }, () => true));
  });

  it('says what the leader has when the wait is in vain or given up', async () => {
    const key = newKey();
    await append(key);
    expect(await waitFor(feed, store(), key, (count) => count > 1, { timeoutMs: 50 })).toMatchObject({ met: false, folded: { state: 1 } });
    const gone = new AbortController();
    const waiting = waitFor(feed, store(), key, (count) => count > 1, { timeoutMs: 60_000, signal: gone.signal });
    gone.abort();
    expect((await waiting).met).toBe(false);
  });

  it('fails a wait for an aggregate that turns out unreadable', async () => {
    const key = newKey();
    await append(key);
    const waiting = waitFor(feed, store(), key, (count) => count > 1, { timeoutMs: 5_000 });
    await Promise.all([
      expect(waiting).rejects.toMatchObject({ code: 'EVENT_UNREADABLE' }),
      connection.request(eventSubject(key, 'planner', 2), '{}', { timeout: 2_000 }),
    ]);
  });

  it.each([
    ['by the next one of the stream', { watchMs: 60_000, another: true }],
    ['by looking, when no other one comes', { watchMs: 100, another: false }],
  ])('finds out that it lost an event %s', async (_, { watchMs, another }) => {
    const key = newKey();
    const lossy = dropping(await broker.connect());
    const losing = new LiveFeed({ connection: lossy.connection, onFault: (fault) => faults.push(fault), watchMs });
    await losing.start();
    const waiting = waitFor(losing, store(), key, (count) => count === 1, { timeoutMs: 5_000 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    lossy.drop = 1;
    await append(key);
    await until(() => lossy.drop === 0);
    if (another) await append(newKey());
    const startedAt = performance.now();
    expect((await waiting).met).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    losing.stop();
  });

  it('ends the stream of a slow reader instead of growing, and a cursor finds the rest in the log', async () => {
    const key = newKey();
    const slow = feed.stream(aggregateFilter(key), { maxBuffered: 2 });
    await append(key, 4);
    await until(() => slow.ended !== undefined);
    expect(slow.ended).toBe('slow');
    const read: StoredEvent[] = [];
    for await (const event of slow) read.push(event);
    for await (const event of readFrom({ connection }, 'GATE', aggregateFilter(key), read.at(-1)!.sequence)) read.push(event);
    expect(read.map(({ rev }) => rev)).toEqual([1, 2, 3, 4]);
  });

  it('reports a listener that throws and serves the others', async () => {
    const key = newKey();
    const heard: number[] = [];
    const ways = [
      feed.listen(aggregateFilter(key), { event: () => { throw new Error('a bug'); }, missed: () => undefined }),
      feed.listen(aggregateFilter(key), { event: ({ rev }) => heard.push(rev), missed: () => undefined }),
    ];
    await log.append(key, NOWHERE, closed('x', META));
    await until(() => heard.length === 1);
    ways.forEach((leave) => leave());
    expect(faults.splice(0)).toMatchObject([{ message: 'a bug' }]);
  });
});

/** A connection that loses as many of the next live messages as it is told. */
function dropping(connection: NatsConnection): { connection: NatsConnection; drop: number } {
  const state = { drop: 0, connection };
  state.connection = new Proxy(connection, {
    get: (target, name) => {
      if (name === 'subscribe') {
        return (subject: string, options: { callback: (...args: unknown[]) => void }) => target.subscribe(subject, {
          callback: (...args) => {
            if (!subject.startsWith('live.') || state.drop === 0) options.callback(...args);
            else state.drop -= 1;
          },
        });
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return state;
}
