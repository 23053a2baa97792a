import type { NatsConnection } from '@nats-io/transport-node';
import { eventSubject, planKey, sessionFilter, tenantFilter, type AggregateKey } from '@countersign/contracts';
import type { EventLog, Position } from '@countersign/event-log';
import { closed } from '@countersign/event-log/contract-suite';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { JetStreamEventLog, readFrom } from './index.js';

describe('readFrom', () => {
  let broker: BrokerUnderTest;
  let connection: NatsConnection;
  let log: EventLog;
  beforeAll(async () => {
    broker = await startBroker();
    connection = await broker.connect();
    log = new JetStreamEventLog({ connection, author: 'planner' });
  });
  afterAll(() => broker?.close());

  const key = (session: string, plan: string, tenant = 'acme'): AggregateKey => planKey(tenant, `s${session.repeat(8)}-p${plan.repeat(8)}`);
  async function append(to: AggregateKey, times: number): Promise<Position> {
    let at = await log.end(to);
    for (let count = 0; count < times; count += 1) {
      const result = await log.append(to, at, closed(String(at.rev + 1)));
      if (result.appended) at = result.position;
    }
    return at;
  }
  async function read(access: { connection: NatsConnection }, filter: string, after: number, upTo?: number): Promise<number[]> {
    const sequences: number[] = [];
    for await (const event of readFrom(access, 'GATE', filter, after, upTo === undefined ? {} : { upTo })) sequences.push(event.sequence);
    return sequences;
  }

  it('reads what matches after a cursor, over several batches, and never asks for more than exists', async () => {
    await append(key('0', 'a'), 10);
    const last = await append(key('1', 'a'), 300);
    const noise = await append(key('2', 'a'), 5);
    const asked: { batch: number; seq: number }[] = [];
    const watched = watching(connection, asked);
    expect(await read(watched, sessionFilter('acme', 's11111111'), 0)).toEqual(Array.from({ length: 300 }, (_, index) => index + 11));
    expect(asked.map(({ batch }) => batch)).toEqual([1, 256, 43]);
    asked.length = 0;
    expect(await read(watched, sessionFilter('acme', 's11111111'), last.sequence)).toEqual([]);
    expect(await read(watched, tenantFilter('nobody'), 0)).toEqual([]);
    expect(asked).toEqual([]);
    expect(await read(watched, 'evt.>', last.sequence - 1)).toEqual([last.sequence, ...[4, 3, 2, 1, 0].map((back) => noise.sequence - back)]);
    expect(await read(watched, 'evt.>', 5, 8)).toEqual([6, 7, 8]);
  });

  it('stops where the stream ended when it began, though more is appended meanwhile', async () => {
    const to = key('3', 'a');
    const { sequence } = await append(to, 3);
    const sequences: number[] = [];
    for await (const event of readFrom({ connection }, 'GATE', sessionFilter('acme', 's33333333'), 0)) {
      sequences.push(event.sequence);
      await append(to, 1);
    }
    expect(sequences).toEqual([sequence - 2, sequence - 1, sequence]);
  });

  it('stops at an event that cannot be read', async () => {
    const to = key('4', 'a');
    await append(to, 1);
    await connection.request(eventSubject(to, 'planner', 2), '{}', { timeout: 2_000 });
    const seen: number[] = [];
    await expect((async () => {
      for await (const event of readFrom({ connection }, 'GATE', sessionFilter('acme', 's44444444'), 0)) seen.push(event.rev);
    })()).rejects.toMatchObject({ code: 'EVENT_UNREADABLE' });
    expect(seen).toEqual([1]);
  });
});

/** Notes every direct get that goes out. */
function watching(connection: NatsConnection, asked: { batch: number; seq: number }[]): { connection: NatsConnection } {
  return { connection: new Proxy(connection, {
    get: (target, name) => {
      if (name === 'publish') {
        return (subject: string, body: string, options: object) => {
          if (subject.includes('DIRECT.GET')) asked.push(JSON.parse(body) as { batch: number; seq: number });
          target.publish(subject, body, options);
        };
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  }) };
}
