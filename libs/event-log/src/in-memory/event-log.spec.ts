import { eventLogContract } from '../contract-suite.js';
import { InMemoryBroker } from './broker.js';
import { InMemoryEventLog } from './event-log.js';

eventLogContract('in memory', async () => {
  const broker = new InMemoryBroker();
  return {
    open: async (author) => new InMemoryEventLog(author, broker),
    forge: async (stream, event) => broker.store(stream, event),
    close: async () => undefined,
  };
});

describe('InMemoryBroker', () => {
  it('tells subscribers of each event that can be read, until they leave', async () => {
    const broker = new InMemoryBroker();
    const log = new InMemoryEventLog('planner', broker);
    const seen: string[] = [];
    const leave = broker.subscribe((event) => seen.push(`${event.stream}:${event.sequence} ${event.type}`));
    const key = { tenant: 'acme', session: 's1', aggregate: 'session', id: 's1' } as const;
    const event = { type: 'session.Ended', data: { by: 'x', reason: 'r', at: '2030-01-01T00:00:00Z' }, meta: { actor: 'a', correlationId: 'c' } } as const;
    await log.append(key, { rev: 0, sequence: 0 }, event);
    broker.store('GATE', { subject: 'evt.acme.s1.session.s1.planner.2', headers: {}, body: Buffer.from('{}') });
    await Promise.resolve();
    leave();
    await log.append(key, { rev: 2, sequence: 2 }, event);
    await Promise.resolve();
    expect(seen).toEqual(['GATE:1 session.Ended']);
  });
});
