import fc from 'fast-check';
import {
  ID_PATTERN, PLAN_ID_PATTERN, PROVIDER_NAME_PATTERN, SESSION_ID_PATTERN, TENANT_ID_PATTERN, itemIdAt, planIdFrom, sessionIdFrom, sessionOfPlan,
} from './ids.js';

const hash = fc.stringMatching(/^[0-9a-f]{24,64}$/);

describe('ids', () => {
  it('are made such that a plan’s names its session', () => {
    fc.assert(fc.property(hash, hash, (first, second) => {
      const session = sessionIdFrom(first);
      const plan = planIdFrom(session, second);
      expect(session).toMatch(SESSION_ID_PATTERN);
      expect(plan).toMatch(PLAN_ID_PATTERN);
      expect(sessionOfPlan(plan)).toBe(session);
    }));
  });

  it('of other things are no plan’s', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      const session = sessionOfPlan(text);
      if (session !== undefined) expect(text).toMatch(PLAN_ID_PATTERN);
    }));
    for (const text of ['', sessionIdFrom('a'.repeat(24)), `${sessionIdFrom('a'.repeat(24))}-p`, 'x-p12345678', 's12345678-p12345678\n']) expect(sessionOfPlan(text)).toBeUndefined();
  });

  it('of items count from 1 in plan order', () => {
    expect([0, 1, 999].map(itemIdAt)).toEqual(['i1', 'i2', 'i1000']);
  });

  it('are single tokens of a subject: no dot, no wildcard, no blank, nothing that ends a line', () => {
    for (const pattern of [ID_PATTERN, PROVIDER_NAME_PATTERN, TENANT_ID_PATTERN, SESSION_ID_PATTERN, PLAN_ID_PATTERN]) {
      for (const sign of ['.', '*', '>', ' ', '\n', '\0', 'Ä', '$']) expect(pattern.test(`s12345678-p1234567${sign}8`)).toBe(false);
      expect(pattern.test('')).toBe(false);
    }
  });
});
