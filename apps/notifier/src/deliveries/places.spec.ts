import { LIMITS, type OutboxKey } from '@countersign/contracts';
import { Places } from './places.js';

const at = (tenant: string, webhook = 'ops'): OutboxKey => ({ tenant, webhook, stream: 'GATE', sequence: 1 });

describe('places', () => {
  it('are left for the next tenant, however many have receivers that hang', () => {
    const places = new Places();
    let taken = 0;
    for (let tenant = 0; tenant < 300; tenant += 1) for (const webhook of ['a', 'b', 'c', 'd', 'e']) for (let n = 0; n < 5; n += 1) if (places.take(at(`t${tenant}`, webhook))) taken += 1;
    expect(taken).toBeLessThan(LIMITS.outboxInFlight * 2);
    expect(places.take(at('next'))).toBeDefined();
    expect(places.take(at('next'))).toBeUndefined();
  });

  it('are free again when they are left', () => {
    const places = new Places();
    const leave = Array.from({ length: LIMITS.webhookInFlight }, () => places.take(at('acme'))!);
    expect(places.take(at('acme'))).toBeUndefined();
    leave[0]!();
    expect(places.take(at('acme'))).toBeDefined();
  });

  it('are waited for about as long as those take that wait already, never in a hurry and never long', () => {
    let now = 0;
    const places = new Places(() => now, () => 0.5);
    places.take(at('acme'));
    const leave = Array.from({ length: 3 }, () => places.take(at('acme'))!);
    expect(places.waitMs(at('acme'), 3)).toBe(1_200);
    now += 9_000;
    for (const one of leave) one();
    expect(places.waitMs(at('acme'), 3)).toBeGreaterThan(5_000);
    expect(places.waitMs(at('acme'), 2_000)).toBe(30_000);
    expect(places.waitMs(at('nobody'), 0)).toBeLessThan(1_000);
  });
});
