import { LIMITS, type GrantEvent, type StandingGrant } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { scenario } from '@countersign/testkit';
import fc from 'fast-check';
import { activate, evolve, grantFold, grantIdOf, inForce, isActive, requireRoomToReserve, reserve, revokeGrant, type GrantState } from './index.js';

const T0 = Date.parse('2026-03-01T10:00:00.000Z');
/** @param seconds after T0 */
const at = (seconds: number): string => new Date(T0 + seconds * 1_000).toISOString();
const grant: StandingGrant = { profile: 'default', provider: 'files', operation: 'write', decision: 'allow', author: 'ann', origin: { plan: 'p', itemId: 'i1' } };
const LAPSES = LIMITS.reservationMs / 1_000;

const reserved = (reservation: string, seconds = 0, more: Partial<StandingGrant> = {}): GrantEvent =>
  ({ type: 'grant.Reserved', data: { reservation, grant: { ...grant, ...more }, until: at(seconds + LAPSES), at: at(seconds) } });
const activated = (reservation: string, seconds = 1, more: Partial<StandingGrant> = {}): GrantEvent =>
  ({ type: 'grant.Activated', data: { reservation, grant: { ...grant, ...more }, at: at(seconds) } });
const revoked = (seconds = 2): GrantEvent => ({ type: 'grant.Revoked', data: { by: 'root', at: at(seconds) } });

describe('reserve', () => {
  const on = scenario(grantFold, (state: GrantState, more: Partial<StandingGrant>) => reserve(state, { reservation: 'r1', grant: { ...grant, ...more }, at: at(0) }));
  it('stands for a minute, once under its name', () => {
    on.given([]).when({}).then([reserved('r1')]).thenReply({ reservation: 'r1', until: at(LAPSES) });
    on.given([reserved('r1')]).when({}).thenNothing().thenReply({ reservation: 'r1', until: at(LAPSES) });
    on.given([reserved('r2')]).when({}).then([reserved('r1')]);
    on.given([activated('r0'), revoked()]).when({}).then([reserved('r1')]);
  });

  it('refuses an end that is past, or no time', () => {
    for (const expiresAt of [at(0), at(-1), 'soon']) on.given([]).when({ expiresAt }).thenRefused('INVALID_REQUEST', { expiresAt });
    on.given([]).when({ expiresAt: at(1) }).then([reserved('r1', 0, { expiresAt: at(1) })]);
  });
});

describe('activate', () => {
  const on = scenario(grantFold, (state: GrantState, seconds: number) => activate(state, { reservation: 'r1', at: at(seconds) }));
  it('makes a reservation good, once', () => {
    on.given([reserved('r1')]).when(1).then([activated('r1')]).thenReply({ repeated: false });
    on.given([reserved('r1'), activated('r1')]).when(1).thenNothing().thenReply({ repeated: true });
    on.given([reserved('r1'), activated('r1'), revoked()]).when(1).thenNothing().thenReply({ repeated: true });
  });

  it('counts from the answer, however late it is heard of; an answer after the reservation’s end is too late', () => {
    on.given([reserved('r1')]).when(LAPSES).then([activated('r1', LAPSES)]);
    on.given([reserved('r1')]).when(LAPSES + 0.001).thenRefused('RESERVATION_LAPSED', { reservation: 'r1' });
    on.given([]).when(1).thenRefused('RESERVATION_LAPSED');
    scenario(grantFold, activate).given([reserved('r1')]).when({ reservation: 'r1', at: 'whenever' }).thenRefused('RESERVATION_LAPSED');
  });

  it('does not revive what somebody has ended since', () => {
    on.given([activated('r0', 0), reserved('r1', 0), revoked(1)]).when(2).thenRefused('RESERVATION_LAPSED');
  });

  it('of two answers lets the newer one stand', () => {
    on.given([reserved('r1'), reserved('r2'), activated('r2', 5, { decision: 'deny' })]).when(3).thenNothing().thenReply({ repeated: true });
    on.given([reserved('r1'), reserved('r2'), activated('r2', 3, { decision: 'deny' })]).when(5).then([activated('r1', 5)]);
  });
});

describe('revokeGrant', () => {
  const on = scenario(grantFold, (state: GrantState, seconds: number) => revokeGrant(state, { by: 'root', at: at(seconds) }));
  it('ends a grant once, and not one that never was', () => {
    on.given([activated('r1')]).when(2).then([revoked()]).thenReply({ repeated: false });
    on.given([activated('r1'), revoked()]).when(3).thenNothing().thenReply({ repeated: true });
    on.given([]).when(2).thenRefused('NOT_FOUND');
    on.given([reserved('r1')]).when(2).thenRefused('NOT_FOUND');
    on.given([activated('r1'), revoked(), activated('r2', 4)]).when(5).then([revoked(5)]);
  });
});

describe('inForce', () => {
  const of = (events: readonly GrantEvent[], seconds: number) => inForce(foldOf(grantFold, events), at(seconds))?.reservation;
  it('is what was activated last, until it is revoked or over', () => {
    expect(of([], 0)).toBeUndefined();
    expect(of([reserved('r1')], 0)).toBeUndefined();
    expect(of([activated('r1')], 1)).toBe('r1');
    expect(of([activated('r1'), revoked()], 3)).toBeUndefined();
    expect(of([activated('r1'), revoked(), activated('r2', 3)], 4)).toBe('r2');
    const ending = [activated('r1', 1, { expiresAt: at(10) })];
    expect([of(ending, 9.999), of(ending, 10), of(ending, -100)]).toEqual(['r1', undefined, 'r1']);
    expect(of([activated('r1', 1, { expiresAt: 'never' })], 2)).toBeUndefined();
  });
});

describe('a grant', () => {
  it('is named by its match alone', () => {
    const narrow = { kind: 'host', field: '/url', host: 'example.org' } as const;
    expect(grantIdOf(grant)).toMatch(/^g[0-9a-f]{24}$/);
    expect(grantIdOf({ ...grant, decision: 'deny', author: 'ben', expiresAt: at(5) } as StandingGrant)).toBe(grantIdOf(grant));
    expect(grantIdOf({ operation: 'write', provider: 'files', profile: 'default' })).toBe(grantIdOf(grant));
    const others = [{ ...grant, profile: 'x' }, { ...grant, provider: 'x' }, { ...grant, operation: 'x' }, { ...grant, narrow }, { ...grant, narrow: { ...narrow, host: 'x' } }];
    expect(new Set([grant, ...others].map(grantIdOf)).size).toBe(6);
  });

  it('that was given too often still can be ended', () => {
    expect(() => requireRoomToReserve(LIMITS.aggregateRevisions - 201)).not.toThrow();
    expect(() => requireRoomToReserve(LIMITS.aggregateRevisions - 200)).toThrow(expect.objectContaining({ code: 'AGGREGATE_TOO_LONG' }));
  });

  const reservations = fc.constantFrom('r1', 'r2', 'r3');
  const facts = fc.array(fc.oneof(
    fc.tuple(reservations, fc.nat(100)).map(([id, seconds]) => reserved(id, seconds)),
    fc.tuple(reservations, fc.nat(100)).map(([id, seconds]) => activated(id, seconds)),
    fc.nat(100).map(revoked),
  ));
  it('folds in parts as in one, from any order of facts', () => {
    fc.assert(fc.property(facts, facts, (first, later) => {
      expect(later.reduce(evolve, foldOf(grantFold, first))).toEqual(foldOf(grantFold, [...first, ...later]));
    }));
  });

  it('changes once by a decision that is made twice', () => {
    const decisions = fc.constantFrom(
      (state: GrantState) => reserve(state, { reservation: 'r9', grant, at: at(0) }),
      (state: GrantState) => revokeGrant(state, { by: 'root', at: at(200) }),
      (state: GrantState) => activate(state, { reservation: 'r1', at: at(50) }),
    );
    fc.assert(fc.property(facts, decisions, (past, decide) => {
      const state = foldOf(grantFold, past);
      let event: GrantEvent | undefined;
      try {
        ({ event } = decide(state));
      } catch {
        return;
      }
      expect(decide(event ? evolve(state, event) : state).event).toBeUndefined();
    }));
  });

  it('is never in force after it was revoked, until it is given anew', () => {
    fc.assert(fc.property(facts, (past) => {
      const state = evolve(foldOf(grantFold, past), revoked(200));
      expect([isActive(state), inForce(state, at(0))]).toEqual([false, undefined]);
    }));
  });
});
