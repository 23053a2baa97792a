import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { PlanEvent } from '@countersign/contracts';
import { NOWHERE, createAggregateStore, type EventLog } from '@countersign/event-log';
import { META, closed, newKey } from '@countersign/event-log/contract-suite';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { JetStreamEventLog } from './index.js';

/** As long as an append tries when it is not told otherwise. */
const DEFAULT_WITHIN_MS = 8_000;

/** The broker stores the event and its acknowledgement is lost, or nobody can tell: the answer must be the truth all the same. */
describe('an append whose acknowledgement does not come', () => {
  let broker: BrokerUnderTest;
  let connection: NatsConnection;
  let log: EventLog;
  let other: EventLog;
  beforeAll(async () => {
    broker = await startBroker({ syncAlways: true });
    connection = await broker.connect();
    log = new JetStreamEventLog({ connection, author: 'planner', answerMs: 100, withinMs: 5_000 });
    other = new JetStreamEventLog({ connection: await broker.connect(), author: 'planner' });
  });
  afterAll(() => broker?.close());

  const server = () => broker.servers[0]!;

  it('is there once and says appended, when the server stood still for longer than several tries', async () => {
    const key = newKey();
    await server().pause();
    const resumed = new Promise<void>((resolve) => { setTimeout(() => resolve(server().resume()), 450); });
    const [result] = await Promise.all([log.append(key, NOWHERE, closed()), resumed]);
    const { events, position } = await log.load<PlanEvent>(key);
    expect(result).toEqual({ appended: true, position });
    expect(events).toHaveLength(1);
  });

  it('is there once and says appended, when the server was killed and came back', async () => {
    const key = newKey();
    const first = await log.append(key, NOWHERE, closed('first'));
    if (!first.appended) throw new Error('nothing stood against it');
    const appending = log.append(key, first.position, closed('second'));
    await server().kill();
    await server().restart();
    const result = await appending;
    const { events, position } = await log.load<PlanEvent>(key);
    expect(result).toEqual({ appended: true, position });
    expect(events.map(({ data }) => data)).toMatchObject([{ by: 'first' }, { by: 'second' }]);
  });

  it('says appended when the acknowledgement alone is lost', async () => {
    const key = newKey();
    const deaf = new JetStreamEventLog({ connection: losingReplies(connection, 1), author: 'planner', answerMs: 100 });
    const result = await deaf.append(key, NOWHERE, closed('mine'));
    expect(result).toEqual({ appended: true, position: await other.end(key) });
    expect((await other.load(key)).events).toHaveLength(1);
  });

  it('says conflict when another writer was there first', async () => {
    const key = newKey();
    await other.append(key, NOWHERE, closed('theirs'));
    const deaf = new JetStreamEventLog({ connection: losingReplies(connection, 2), author: 'planner', answerMs: 100 });
    expect(await deaf.append(key, NOWHERE, closed('mine'))).toEqual({ appended: false, conflict: true });
    expect((await other.load<PlanEvent>(key)).events.map(({ data }) => data)).toMatchObject([{ by: 'theirs' }]);
  });

  it('is UNAVAILABLE, in time, when nobody can tell', async () => {
    const deaf = new JetStreamEventLog({ connection: losingReplies(connection, Infinity), author: 'planner', answerMs: 50, withinMs: 300 });
    const startedAt = Date.now();
    await expect(deaf.append(newKey(), NOWHERE, closed())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(Date.now() - startedAt).toBeLessThan(DEFAULT_WITHIN_MS);
  });

  it('lands once, decided once, through a store that must report an effect', async () => {
    const key = newKey();
    const deaf = new JetStreamEventLog({ connection: losingReplies(connection, 3), author: 'planner', answerMs: 50, withinMs: 60 });
    const store = createAggregateStore<number, PlanEvent>(deaf, { initial: 0, evolve: (count) => count + 1 });
    const { reply } = await store.transact(key, ({ state }) => (state === 0 ? { event: closed(), reply: 'now' } : { reply: 'before' }), { meta: META, untilItLands: true });
    expect(['now', 'before']).toContain(reply);
    expect((await other.load(key)).events).toHaveLength(1);
  });

  it('refuses an acknowledgement that calls the event a duplicate, or comes from another stream', async () => {
    for (const ack of [{ stream: 'GATE', seq: 7, duplicate: true }, { stream: 'BLOBS', seq: 7 }]) {
      const lied = new JetStreamEventLog({ connection: answering(connection, ack), author: 'planner' });
      await expect(lied.append(newKey(), NOWHERE, closed())).rejects.toMatchObject({ code: 'INTERNAL' });
    }
  });

  it('is UNAVAILABLE when the leader of a stream cannot be asked', async () => {
    const nowhere = new JetStreamEventLog({ connection, author: 'planner', withinMs: 200 });
    await expect(nowhere.lastSequence('NOSUCH' as 'GATE', 'evt.>')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});

/** Appends go through; the answers of the first `times` are not heard. */
function losingReplies(connection: NatsConnection, times: number): NatsConnection {
  let left = times;
  return hearing(connection, (answer) => (left-- > 0 ? undefined : answer));
}

const answering = (connection: NatsConnection, ack: object): NatsConnection => 
  hearing(connection, (answer) => Object.create(answer, { json: { value: () => ack } }) as Msg);

/** The same connection, but for what is heard of the answers to appends. */
function hearing(connection: NatsConnection, heard: (answer: Msg) => Msg | undefined): NatsConnection {
  const appends = new Set<string>();
  const publish: NatsConnection['publish'] = (subject, body, options) => {
    if (subject.startsWith('evt.') && options?.reply) appends.add(options.reply);
    connection.publish(subject, body, options);
  };
  const subscribe: NatsConnection['subscribe'] = (subject, options) => connection.subscribe(subject, {
    ...options,
    callback: (error, message) => {
      const answer = appends.delete(message.subject) ? heard(message) : message;
      if (answer) void options?.callback?.(error, answer);
    },
  });
  const changed: Record<PropertyKey, unknown> = { publish, subscribe };
  return new Proxy(connection, {
    get: (target, name) => {
      const value: unknown = changed[name] ?? Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
