import { AckPolicy, jetstream, type Consumer } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { JetStreamTimers, firedTimer } from './index.js';

describe('JetStreamTimers', () => {
  let broker: BrokerUnderTest;
  let connection: NatsConnection;
  let timers: JetStreamTimers;
  let consumer: Consumer;
  beforeAll(async () => {
    broker = await startBroker({ syncAlways: true });
    connection = await broker.connect();
    timers = new JetStreamTimers({ connection, service: 'planner' });
    await broker.manager.consumers.add('TIMER_planner', { durable_name: 'planner', ack_policy: AckPolicy.Explicit, filter_subject: 'timer.planner.fire.>' });
    consumer = await jetstream(connection).consumers.get('TIMER_planner', 'planner');
  });
  afterAll(() => broker?.close());

  async function reconnected(): Promise<void> {
    for (let tries = 0; tries < 100; tries += 1) {
      if (await connection.flush().then(() => true, () => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error('the connection did not come back');
  }
  const inMs = (ms: number): Date => new Date(Date.now() + ms);
  /** Names of what fires within `ms`, with the time of each. */
  async function firedWithin(ms: number): Promise<{ name: string | undefined; at: number }[]> {
    const fired: { name: string | undefined; at: number }[] = [];
    const until = Date.now() + ms;
    while (Date.now() < until) {
      const message = await consumer.next({ expires: Math.max(1_000, until - Date.now()) });
      if (!message) continue;
      fired.push({ name: firedTimer('planner', message.subject), at: new Date(message.time).getTime() });
      await message.ackAck();
    }
    return fired;
  }

  it('fires once, not before its time and less than a second after it', async () => {
    const due = inMs(700);
    await timers.set('plan.acme.p1', due);
    const fired = await firedWithin(2_000);
    expect(fired.map(({ name }) => name)).toEqual(['plan.acme.p1']);
    expect(fired[0]!.at).toBeGreaterThanOrEqual(due.getTime() - 10);
    expect(fired[0]!.at).toBeLessThan(due.getTime() + 1_000);
  });

  it('is moved by setting it again, in both directions, and keeps one message a timer', async () => {
    const moved = inMs(1_500);
    await timers.set('plan.acme.late', inMs(300));
    await timers.set('plan.acme.late', moved);
    await timers.set('plan.acme.early', inMs(60_000));
    await timers.set('plan.acme.early', inMs(300));
    expect((await broker.manager.streams.info('TIMER_planner', { subjects_filter: 'timer.planner.set.>' })).state.subjects).toEqual({
      'timer.planner.set.plan.acme.late': 1, 'timer.planner.set.plan.acme.early': 1,
    });
    const fired = await firedWithin(3_000);
    expect(fired.map(({ name }) => name)).toEqual(['plan.acme.early', 'plan.acme.late']);
    expect(fired[1]!.at).toBeGreaterThanOrEqual(moved.getTime() - 10);
  });

  it('fires at once what was due in the past, also while the broker was down, and can be set again after it fired', async () => {
    await timers.set('plan.acme.past', inMs(-5_000));
    expect((await firedWithin(1_500)).map(({ name }) => name)).toEqual(['plan.acme.past']);
    await timers.set('plan.acme.past', inMs(300));
    await broker.servers[0]!.stop();
    await new Promise((resolve) => setTimeout(resolve, 500));
    await broker.servers[0]!.restart();
    await reconnected();
    expect((await firedWithin(2_500)).map(({ name }) => name)).toEqual(['plan.acme.past']);
  });

  it('refuses a name that is no chain of tokens and a time that is none', async () => {
    for (const name of ['', '>', 'a..b', 'a b', 'a.*']) {
      await expect(timers.set(name, inMs(0))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    }
    await expect(timers.set('a', new Date(Number.NaN))).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('knows its own fired timers only', () => {
    expect(firedTimer('planner', 'timer.planner.fire.a.b')).toBe('a.b');
    expect(firedTimer('planner', 'timer.planner.fire.')).toBeUndefined();
    expect(firedTimer('planner', 'timer.executor.fire.a')).toBeUndefined();
    expect(firedTimer('planner', 'timer.planner.set.a')).toBeUndefined();
  });
});
