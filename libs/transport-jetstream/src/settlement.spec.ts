import { GateError } from '@countersign/kernel';
import fc from 'fast-check';
import { GivenUp, outcomeOfReturn, outcomeOfThrow } from './outcome.js';
import { Unparsable } from './parse.js';
import { settle, waitBudget, type Tries } from './settlement.js';

const tries = (some: Partial<Tries> = {}): Tries => ({ deliveries: 1, maxDeliver: 20, repeats: 0, forgetsTerminated: false, ...some });

describe('what becomes of a delivery', () => {
  it('is acknowledged when its handler returns nothing, and only then', () => {
    expect(settle(outcomeOfReturn(undefined), tries())).toEqual({ kind: 'ack' });
    expect(settle(outcomeOfReturn({ retryInMs: 0 }), tries())).toEqual({ kind: 'nak', delayMs: 0 });
    expect(settle(outcomeOfThrow(undefined), tries()).kind).toBe('nak');
  });

  it('waits by the server for the first half of its deliveries, and in the process after that', () => {
    expect(settle(outcomeOfReturn({ retryInMs: 6_000 }), tries({ deliveries: 10 }))).toEqual({ kind: 'nak', delayMs: 6_000 });
    expect(settle(outcomeOfReturn({ retryInMs: 6_000 }), tries({ deliveries: 11 }))).toEqual({ kind: 'hold', forMs: 6_000 });
    expect(settle(outcomeOfReturn({ retryInMs: 6_000 }), tries({ deliveries: 500, maxDeliver: -1 }))).toEqual({ kind: 'nak', delayMs: 6_000 });
  });

  it('comes again soon when a replica lagged, and later each time', () => {
    const delays = [1, 2, 3, 10].map((deliveries) => settle(outcomeOfThrow(new GateError('UNAVAILABLE')), tries({ deliveries })));
    expect(delays).toEqual([25, 50, 100, 5_000].map((delayMs) => ({ kind: 'nak', delayMs })));
    expect(settle(outcomeOfThrow(new GateError('UNAVAILABLE')), tries({ deliveries: 11, repeats: 4 }))).toEqual({ kind: 'hold', forMs: 5_000 });
  });

  it('is given up at the last delivery with a reason that holds no secret', () => {
    expect(settle(outcomeOfThrow(new GateError('POLICY_INVALID', 'no\nrules')), tries({ deliveries: 20 }))).toEqual({ kind: 'term', reason: 'failed: POLICY_INVALID: no rules' });
    const fault = settle(outcomeOfThrow(new TypeError('password hunter2')), tries({ deliveries: 20 }));
    expect(fault).toEqual({ kind: 'term', reason: expect.stringMatching(/^failed: TypeError/) });
    expect(JSON.stringify(fault)).not.toContain('hunter2');
    expect(settle(outcomeOfThrow(new Error()), tries({ deliveries: 20, forgetsTerminated: true }))).toEqual({ kind: 'nak', delayMs: 0 });
  });

  it('is given up at once when no run will ever read it', () => {
    expect(settle(outcomeOfThrow(new Unparsable('no JSON')), tries())).toEqual({ kind: 'term', reason: 'unparsable: no JSON' });
  });

  it('is given up at once when its handler has made its last try', () => {
    const outcome = outcomeOfThrow(new GivenUp(new GateError('UNAVAILABLE', 'It answered 500 eight times')));
    expect(settle(outcome, tries())).toEqual({ kind: 'term', reason: 'failed: UNAVAILABLE: It answered 500 eight times' });
    expect(settle(outcome, tries({ forgetsTerminated: true }))).toEqual({ kind: 'nak', delayMs: 0 });
  });

  it('a wait is never the last: whatever came before, it leaves the message with a delivery to come or with its holder', () => {
    const waits = fc.constantFrom(outcomeOfReturn({ retryInMs: 1 }), outcomeOfThrow(new GateError('UNAVAILABLE')), outcomeOfThrow(new GateError('EVENT_UNREADABLE')));
    fc.assert(fc.property(waits, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 2, max: 50 }), fc.nat(40), (outcome, deliveries, maxDeliver, repeats) => {
      const settlement = settle(outcome, tries({ deliveries, maxDeliver, repeats }));
      expect(['nak', 'hold']).toContain(settlement.kind);
      if (settlement.kind === 'nak') expect(deliveries).toBeLessThan(maxDeliver);
    }));
  });

  it('failures always find at least half of the deliveries', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 50 }), (maxDeliver) => expect(maxDeliver - waitBudget(maxDeliver)).toBeGreaterThanOrEqual(maxDeliver / 2)));
  });
});
