import { jest } from '@jest/globals';
import { parseAckSubject } from './ack-subject.js';
import { Lease, monotonicMs } from './lease.js';
import { keyOf } from './patterns.js';
import { fits } from './subject-fits.js';

describe('a delivery’s reply subject', () => {
  it('is read in both forms and refused in any other', () => {
    const says = { stream: 'GATE', consumer: 'policy', deliveries: 2, sequence: 41 };
    expect(parseAckSubject('$JS.ACK.GATE.policy.2.41.40.1700000000000000000.5')).toEqual(says);
    expect(parseAckSubject('$JS.ACK._.hash.GATE.policy.2.41.40.1700000000000000000.5')).toEqual(says);
    expect(parseAckSubject('$JS.ACK.hub.hash.GATE.policy.2.41.40.1700000000000000000.5.random')).toEqual(says);
    expect(() => parseAckSubject('_INBOX.policy.x')).toThrow(/not the reply subject/);
    expect(() => parseAckSubject('')).toThrow();
  });
});

describe('a lease', () => {
  beforeEach(() => { jest.useFakeTimers(); });
  afterEach(() => { jest.useRealTimers(); });

  it('is extended from when the extension was sent, and not revived by a late confirmation', () => {
    const lease = new Lease(monotonicMs(), 80);
    const sentAt = monotonicMs();
    jest.advanceTimersByTime(60);
    lease.extendedAt(sentAt + 40);
    expect(lease.leftMs()).toBe(60);
    jest.advanceTimersByTime(60);
    lease.extendedAt(monotonicMs());
    expect(lease.leftMs()).toBe(0);
  });

  it('tells whoever works under it when it is over, also who asks afterwards, and nobody once it is settled', () => {
    const over = new Lease(monotonicMs(), 30);
    const { signal } = over;
    const settled = new Lease(monotonicMs(), 30);
    const quiet = settled.signal;
    settled.settle();
    jest.advanceTimersByTime(29);
    expect(signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect([signal.aborted, quiet.aborted]).toEqual([true, false]);
    const unwatched = new Lease(monotonicMs() - 100, 30);
    const late = unwatched.signal;
    jest.advanceTimersByTime(0);
    expect(late.aborted).toBe(true);
  });
});

describe('keys and filters', () => {
  it('name a pattern of this transport and nothing else', () => {
    expect([{ event: 'plan.Closed' }, { timer: 'fired' }, { command: 'propose' }].map((pattern) => keyOf(pattern as never))).toEqual(['event:plan.Closed', 'timer:fired', 'command:propose']);
    expect([{ cmd: 'x' }, { event: 'a', command: 'b' }, 'event', null].map((pattern) => keyOf(pattern as unknown))).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('fit as the server matches', () => {
    expect([fits('evt.t.s.plan.p.planner.1', 'evt.*.*.plan.*.planner.1'), fits('timer.planner.fire.a.b', 'timer.planner.fire.>')]).toEqual([true, true]);
    expect([fits('evt.t.s.plan.p.planner.2', 'evt.*.*.plan.*.planner.1'), fits('timer.planner.fire', 'timer.planner.fire.>'), fits('a.b.c', 'a.b')]).toEqual([false, false, false]);
  });
});
