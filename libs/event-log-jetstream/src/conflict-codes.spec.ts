import { jest } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { aggregateFilter, eventSubject } from '@countersign/contracts';
import { newKey } from '@countersign/event-log/contract-suite';
import { startBroker, type BrokerUnderTest } from '../test/broker-under-test.js';
import { headersOf } from './header-block.js';

jest.setTimeout(120_000);

interface Ack { readonly seq?: number; readonly duplicate?: boolean; readonly error?: { readonly err_code: number } }

describe('the codes of a conflict, on three servers', () => {
  let broker: BrokerUnderTest;
  let connections: NatsConnection[];
  beforeAll(async () => {
    broker = await startBroker({ nodes: 3 });
    connections = await Promise.all([0, 1, 2].map((server) => broker.connect(server)));
  });
  afterAll(() => broker?.close());

  const key = newKey();
  const send = async (from: number, rev: number, headers: Record<string, string>): Promise<Ack> => (await connections[from]!.request(
    eventSubject(key, (['planner', 'policy', 'executor'] as const)[from]!, rev), '{}', { timeout: 10_000, headers: headersOf(headers) },
  )).json<Ack>();
  const expecting = (sequence: number): Record<string, string> => ({
    'Nats-Expected-Last-Subject-Sequence': String(sequence), 'Nats-Expected-Last-Subject-Sequence-Subject': aggregateFilter(key),
  });

  it('are 10071 or, while the winner is on its way, 10164, and one message of those at once wins', async () => {
    const codes = new Set<number>();
    let last = 0;
    for (let rev = 1; rev <= 150; rev += 1) {
      const acks = await Promise.all([0, 1, 2, 0, 1, 2].map((from) => send(from, rev, expecting(last))));
      expect(acks.filter(({ seq }) => seq)).toHaveLength(1);
      for (const { error } of acks) if (error) codes.add(error.err_code);
      last = Math.max(...acks.map(({ seq }) => seq ?? 0));
    }
    expect(codes).not.toEqual(new Set());
    expect([...codes].filter((code) => code !== 10071 && code !== 10164)).toEqual([]);
  });

  it('are 10158 or no error but "duplicate" for messages with an id, which is why ours have none', async () => {
    const losers = new Set<string>();
    for (let round = 0; round < 100; round += 1) {
      const headers = { 'Nats-Msg-Id': `id-${round}` };
      const acks = await Promise.all([0, 1, 2].map((from) => send(from, 1_000 + round, headers)));
      const lost = acks.filter(({ error, duplicate }) => error ?? duplicate);
      expect(lost).toHaveLength(2);
      for (const { error } of lost) losers.add(error ? String(error.err_code) : 'duplicate');
    }
    // Which of the two a loser gets is a matter of moments; that it is never a conflict's code is the point.
    expect([...losers].filter((what) => what !== '10158' && what !== 'duplicate')).toEqual([]);
  });
});
