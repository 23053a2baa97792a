import { jest } from '@jest/globals';
import type { AggregateKey } from '@countersign/contracts';
import { NOWHERE, type EventLog, type Position } from '@countersign/event-log';
import { closed, eventLogContract, newKey } from '@countersign/event-log/contract-suite';
import { logUnderTest, startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { JetStreamEventLog } from './index.js';

jest.setTimeout(120_000);

eventLogContract('three JetStream servers', () => logUnderTest({ nodes: 3 }), { races: 200 });

describe('three JetStream servers whose leader changes', () => {
  let broker: BrokerUnderTest;
  let writers: EventLog[];
  beforeAll(async () => {
    broker = await startBroker({ nodes: 3 });
    writers = await Promise.all(Array.from({ length: 6 }, async () =>
      new JetStreamEventLog({ connection: await broker.connect(), author: 'planner', withinMs: 30_000 })));
  });
  afterAll(() => broker?.close());

  const race = async (key: AggregateKey, at: Position, name: string): Promise<Position[]> => {
    const results = await Promise.all(writers.map((writer, index) => writer.append(key, at, closed(`${name}.${index}`))));
    return results.flatMap((result) => (result.appended ? [result.position] : []));
  };

  it('let exactly one append of each race win and keep every one that was acknowledged', async () => {
    const admin = await broker.connect();
    const key = newKey();
    let at = NOWHERE;
    for (let round = 1; round <= 48; round += 1) {
      const racing = race(key, at, String(round));
      // Refused or unheard while there is no leader; it is one then.
      if (round % 8 === 0) await admin.request('$JS.API.STREAM.LEADER.STEPDOWN.GATE', '', { timeout: 1_000 }).catch(() => undefined);
      const won = await racing;
      expect(won).toHaveLength(1);
      at = won[0]!;
      expect(at.rev).toBe(round);
    }
    expect(await writers[0]!.end(key)).toEqual(at);
    expect((await broker.manager.streams.info('GATE')).state.messages).toBe(48);
  });

  it('know the winner of a race in which the leader was killed', async () => {
    const key = newKey();
    const [at] = await race(key, NOWHERE, 'before');
    const leader = Number((await broker.manager.streams.info('GATE')).cluster!.leader!.split('-').at(-1)) - 1;
    const racing = race(key, at!, 'during');
    await broker.servers[leader]!.kill();
    const won = await racing;
    expect(won).toHaveLength(1);
    expect(await writers[0]!.end(key)).toEqual(won[0]);
    await broker.servers[leader]!.restart();
  });
});
