import { LIMITS, planKey, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import fc from 'fast-check';
import { countsAsDenial, emptyTally, tallied, tripOf, type Tally } from './index.js';

const T0 = Date.parse('2026-03-01T10:00:00.000Z');
const stored = (sequence: number, event: { readonly type: string; readonly data: unknown }, plan = 's00000000aa-p00000000bb'): StoredEvent<PlanEvent> =>
  ({ ...event, sequence, key: planKey('acme', plan), time: new Date(T0 + sequence * 1_000).toISOString() }) as unknown as StoredEvent<PlanEvent>;
const planNo = (no: number): string => `s00000000aa-p${String(no).padStart(8, '0')}`;
/** One plan of one item for each, proposed and decided in turn. */
const history = (decisions: readonly ('allow' | 'deny')[]): Tally => decisions.reduce<Tally>((tally, decision, index) => {
  const proposed = stored(2 * index + 1, { type: 'plan.Proposed', data: { items: [{ itemId: 'i1', operation: 'a/b', input: { digest: String(index) } }] } }, planNo(index));
  const evaluated = stored(2 * index + 2, { type: 'plan.Evaluated', data: { items: [{ itemId: 'i1', decision, decidedBy: 'policy:x' }] } }, planNo(index));
  return tallied(tallied(tally, proposed), evaluated);
}, emptyTally);
const OFF = { breaker: { consecutive: 0, count: 0, windowMs: 60_000 }, doomLoop: { repeats: 0, within: 8 } };

describe('what counts', () => {
  it.each([['policy:r', true], ['guardrail:r', true], ['person:p', true], ['veto:v', true], ['mode:plan', true], ['session:p', true], ['standing:r', true], ['profile:headless', true],
    ['breaker', false], ['loop', false], ['expired', false], ['cancelled', false], ['freeze:p', false], ['session:ended', false], ['policy:unavailable', false]])('%s: %s', (by, counts) => {
    expect(countsAsDenial(by)).toBe(counts);
  });

  it('is the first decision of an item, whatever is delivered or said again', () => {
    const tally = history(['deny', 'deny']);
    expect(tallied(tally, stored(3, { type: 'plan.Evaluated', data: { items: [{ itemId: 'i1', decision: 'deny', decidedBy: 'policy:x' }] } }, planNo(0)))).toBe(tally);
    expect(tallied(tally, stored(9, { type: 'plan.Evaluated', data: { items: [{ itemId: 'i1', decision: 'deny', decidedBy: 'policy:x' }] } }, planNo(0))).inARow).toBe(2);
  });

  it('keeps the newest plans only', () => {
    let tally = emptyTally;
    for (let no = 0; no < LIMITS.breakerPlans + 5; no += 1) tally = tallied(tally, stored(no + 1, { type: 'plan.Proposed', data: { items: [{ itemId: 'i1', operation: 'a/b', input: { digest: 'd' } }] } }, planNo(no)));
    expect([tally.open.size, tally.open.has(planNo(4)), tally.open.has(planNo(5))]).toEqual([LIMITS.breakerPlans, false, true]);
    expect(tally.calls).toHaveLength(200);
  });
});

describe('laws of trips', () => {
  const decisions = fc.array(fc.constantFrom('allow' as const, 'deny' as const), { maxLength: 40 });

  it('consecutive: exactly when the history ends in, or held since the sequence, so many denials in a row', () => {
    fc.assert(fc.property(decisions, fc.integer({ min: 1, max: 6 }), (said, bound) => {
      const longest = said.join(' ').split('allow').map((run) => run.split('deny').length - 1).reduce((a, b) => Math.max(a, b), 0);
      expect(tripOf(history(said), { ...OFF, breaker: { ...OFF.breaker, consecutive: bound } }, 0) !== undefined).toBe(longest >= bound);
    }));
  });

  it('within a window: exactly when so many denials lie within it, counted back from the newest', () => {
    fc.assert(fc.property(decisions, fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 60 }), (said, count, seconds) => {
      const at = said.flatMap((decision, index) => (decision === 'deny' ? [2 * index + 2] : []));
      const inWindow = at.filter((time) => at.at(-1)! - time < seconds).length;
      expect(tripOf(history(said), { ...OFF, breaker: { consecutive: 0, count, windowMs: seconds * 1_000 } }, 0) !== undefined).toBe(inWindow >= count);
    }));
  });

  it('settings that became stricter do not reach back', () => {
    const tally = history(['deny', 'deny', 'allow', 'deny']);
    const strict = { ...OFF, breaker: { ...OFF.breaker, consecutive: 2 } };
    expect(tripOf(tally, strict, 0)?.items).toHaveLength(2);
    expect(tripOf(tally, strict, tally.upTo)).toBeUndefined();
  });

  it('off, nothing trips', () => {
    fc.assert(fc.property(decisions, (said) => expect(tripOf(history(said), OFF, 0)).toBeUndefined()));
  });
});
