import { LIMITS, type OutboxKey } from '@countersign/contracts';
import { WaitingRoom } from './waiting-room.js';

const at = (tenant: string, webhook = 'ops'): OutboxKey => ({ tenant, webhook, stream: 'GATE', sequence: 1 });

function room() {
  let now = 0;
  let id = 0;
  const waiting = new WaitingRoom(() => now);
  return {
    waiting,
    passes: (ms: number): void => { now += ms; },
    /** How many get in of so many. */
    enter: (key: OutboxKey, count: number, ms = 1_000): number => Array.from({ length: count }, () => waiting.enter(key, (id += 1), ms, 'try')).filter((entered) => entered).length,
  };
}

describe('deliveries that wait', () => {
  it('are bounded for a webhook, and for a tenant over all its webhooks', () => {
    const under = room();
    expect(under.enter(at('acme', 'a'), LIMITS.webhookWaiting + 10)).toBe(LIMITS.webhookWaiting);
    expect(under.enter(at('acme', 'b'), LIMITS.webhookWaiting + 10)).toBe(LIMITS.webhookWaiting);
    expect(under.enter(at('acme', 'c'), LIMITS.webhookWaiting + 10)).toBe(LIMITS.webhookWaitingOfTenant - 2 * LIMITS.webhookWaiting);
  });

  it('of hundreds of tenants whose receivers are dead leave room for the next one', () => {
    const under = room();
    let all = 0;
    for (let tenant = 0; tenant < 400; tenant += 1) all += under.enter(at(`t${tenant}`), LIMITS.webhookWaiting);
    expect(under.enter(at('next'), LIMITS.webhookWaiting)).toBe(249);
    expect(all).toBeLessThan(LIMITS.outboxMaxAckPending);
  });

  it('may stay once they are in, and make room when they leave', () => {
    const { waiting, enter } = room();
    expect(waiting.enter(at('acme'), 999_999, 1_000, 'place')).toBe(true);
    enter(at('acme'), LIMITS.webhookWaiting);
    expect(waiting.enter(at('acme'), 1_000_000, 1_000, 'place')).toBe(false);
    expect(waiting.enter(at('acme'), 999_999, 1_000, 'try')).toBe(true);
    waiting.leave(at('acme'), 999_999);
    waiting.leave(at('acme'), 999_999);
    expect(waiting.enter(at('acme'), 1_000_000, 1_000, 'place')).toBe(true);
    expect(waiting.enter(at('acme'), 1_000_001, 1_000, 'place')).toBe(false);
  });

  it('are counted for a place until they are called', () => {
    const { waiting } = room();
    waiting.enter(at('acme'), 1, 1_000, 'place');
    waiting.enter(at('acme'), 2, 1_000, 'place');
    waiting.enter(at('acme'), 3, 1_000, 'try');
    waiting.enter(at('other'), 4, 1_000, 'place');
    expect(waiting.forPlace(at('acme'))).toBe(2);
    waiting.called(at('acme'), 2);
    expect(waiting.forPlace(at('acme'))).toBe(1);
    expect(waiting.forPlace(at('nobody'))).toBe(0);
  });

  it('are forgotten a minute after their time, when another process has them', () => {
    const under = room();
    under.enter(at('acme'), LIMITS.webhookWaiting, 3_600_000);
    under.passes(3_600_000);
    expect(under.enter(at('acme'), 1)).toBe(0);
    under.passes(60_001);
    expect(under.enter(at('acme'), LIMITS.webhookWaiting)).toBe(LIMITS.webhookWaiting);
  });
});
