import type { NatsConnection } from '@nats-io/transport-node';
import { aggregateFilter, eventSubject, sessionFilter, tenantFilter, type AggregateKey } from '@countersign/contracts';
import { NOWHERE, type EventLog } from '@countersign/event-log';
import { META, closed, newKey } from '@countersign/event-log/contract-suite';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { JetStreamEventLog, LiveFeed } from './index.js';

const until = async (met: () => boolean): Promise<void> => {
  for (let tries = 0; !met(); tries += 1) {
    if (tries > 1_000) throw new Error('it did not come about');
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
    const later = listening(feed, 'evt.>');
    await append(key);
    await until(() => later.revs.length === 1);
    expect(later.revs).toEqual([3]);
    later.leave();
    expect(heard.plan).toHaveLength(2);
    expect(() => feed.listen('evt.*.>', { event: () => undefined, missed: () => undefined })).toThrow(TypeError);
  });

  it('says that an event was missed when it cannot be read', async () => {
    const key = newKey();
    const one = listening(feed, aggregateFilter(key));
    await append(key);
    await connection.request(eventSubject(key, 'planner', 2), '{}', { timeout: 2_000 });
    await until(() => one.missed > 0);
    expect(one).toMatchObject({ revs: [1], missed: 1 });
    one.leave();
  });

  it.each([
    ['by the next one of the stream', { watchMs: 60_000, another: true }],
    ['by looking, when no other one comes', { watchMs: 100, another: false }],
  ])('finds out that it lost an event %s', async (_, { watchMs, another }) => {
    const key = newKey();
    const lossy = dropping(await broker.connect());
    const losing = new LiveFeed({ connection: lossy.connection, onFault: (fault) => faults.push(fault), watchMs });
    await losing.start();
    const one = listening(losing, aggregateFilter(key));
    lossy.drop = 1;
    await append(key);
    await until(() => lossy.drop === 0);
    if (another) await append(newKey());
    await until(() => one.missed > 0);
    expect(one.revs).toEqual([]);
    losing.stop();
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

/** What one listener was told. */
function listening(feed: LiveFeed, filter: string): { readonly revs: number[]; missed: number; leave(): void } {
  const heard = { revs: [] as number[], missed: 0, leave: (): void => undefined };
  heard.leave = feed.listen(filter, { event: ({ rev }) => heard.revs.push(rev), missed: () => { heard.missed += 1; } });
  return heard;
}

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
