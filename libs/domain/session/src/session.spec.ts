import { LIMITS, type PermissionMode, type SessionEvent, type SessionGrant, type SessionLimitReached } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { scenario } from '@countersign/testkit';
import fc from 'fast-check';
import {
  endSession, evolve, giveGrant, isOpen, openSession, permissionModeOf, reachLimit, requireOpen, revokeSessionGrant, sessionFold, type SessionState,
} from './index.js';

const at = '2026-03-01T10:00:00.000Z';
const opening = { agent: 'coder', profile: 'default', kind: 'chat', openedBy: 'agent', requestDigest: 'request', at } as const;
const opened: SessionEvent = { type: 'session.Opened', data: opening };
const ending = { by: 'ops', reason: 'done', at };
const ended: SessionEvent = { type: 'session.Ended', data: ending };
const grantOf = (grantId: string): SessionGrant => ({ grantId, provider: 'files', operation: 'write', decision: 'allow', by: 'ops', origin: { plan: 'p', itemId: 'i1' }, at });
const granted = (grantId: string): SessionEvent => ({ type: 'session.Granted', data: { grant: grantOf(grantId) } });
const revocation = (grantId: string) => ({ grantId, by: 'ops', at });
const grantRevoked = (grantId: string): SessionEvent => ({ type: 'session.GrantRevoked', data: revocation(grantId) });
const limit: SessionLimitReached = { cause: 'circuit_breaker', detail: '5 denials', items: [], endsAt: at, at };
const limited: SessionEvent = { type: 'session.LimitReached', data: limit };

describe('openSession', () => {
  const on = scenario(sessionFold, openSession);
  it('opens once for one request', () => {
    on.given([]).when(opening).then([opened]).thenReply({ repeated: false });
    on.given([opened]).when({ ...opening, at: 'later' }).thenNothing().thenReply({ repeated: true });
    on.given([opened, ended]).when(opening).thenNothing();
    on.given([opened]).when({ ...opening, requestDigest: 'other' }).thenRefused('IDEMPOTENCY_KEY_REUSED');
  });
});

describe('the permission mode', () => {
  const under = (bypassPermissions: boolean) => scenario(sessionFold, (state: SessionState, mode: PermissionMode) => openSession(state, { ...opening, permissionMode: mode }, { bypassPermissions }));
  it('is fixed at the opening, and bypassPermissions is the tenant’s to permit', () => {
    under(false).given([]).when('acceptEdits').then([{ type: 'session.Opened', data: { ...opening, permissionMode: 'acceptEdits' } }]);
    under(false).given([]).when('bypassPermissions').thenRefused('MODE_FORBIDDEN', { permissionMode: 'bypassPermissions' });
    under(true).given([]).when('bypassPermissions').then([{ type: 'session.Opened', data: { ...opening, permissionMode: 'bypassPermissions' } }]);
    under(true).given([]).when('root' as PermissionMode).thenRefused('INVALID_REQUEST');
    expect(permissionModeOf(foldOf(sessionFold, [opened]))).toBe('default');
    expect(permissionModeOf(foldOf(sessionFold, [{ type: 'session.Opened', data: { ...opening, permissionMode: 'dontAsk' } }]))).toBe('dontAsk');
  });
  it('is not asked about again when the opening is repeated', () => {
    under(false).given([{ type: 'session.Opened', data: { ...opening, permissionMode: 'bypassPermissions' } }]).when('bypassPermissions').thenNothing();
  });
});

describe('grants', () => {
  const give = scenario(sessionFold, (state: SessionState, grantId: string) => giveGrant(state, grantOf(grantId)));
  const revoke = scenario(sessionFold, (state: SessionState, grantId: string) => revokeSessionGrant(state, revocation(grantId)));

  it('are given once by their id, also after they were revoked', () => {
    give.given([opened]).when('g1').then([granted('g1')]).thenReply({ repeated: false });
    give.given([opened, granted('g1')]).when('g1').thenNothing().thenReply({ repeated: true });
    give.given([opened, granted('g1'), grantRevoked('g1')]).when('g1').thenNothing().thenReply({ repeated: true });
  });

  it('are not given after the end, and none survives it', () => {
    give.given([opened, ended]).when('g1').thenRefused('SESSION_ENDED');
    give.given([]).when('g1').thenRefused('NOT_FOUND');
    give.given([opened, granted('g1'), ended]).when('g1').thenNothing();
    expect(foldOf(sessionFold, [opened, granted('g1'), ended, granted('g2')]).grants.size).toBe(0);
  });

  it('are bounded, and a revoked one makes room', () => {
    const full = Array.from({ length: LIMITS.sessionGrants }, (_, index) => granted(`g${index}`));
    give.given([opened, ...full]).when('one more').thenRefused('AGGREGATE_TOO_LONG');
    give.given([opened, ...full, grantRevoked('g0')]).when('one more').then([granted('one more')]);
  });

  it('are revoked once', () => {
    revoke.given([opened, granted('g1')]).when('g1').then([grantRevoked('g1')]).thenReply({ repeated: false });
    revoke.given([opened, granted('g1'), grantRevoked('g1')]).when('g1').thenNothing().thenReply({ repeated: true });
    revoke.given([opened]).when('g1').thenRefused('NOT_FOUND');
    revoke.given([opened, granted('g1'), ended]).when('g1').thenRefused('SESSION_ENDED');
  });
});

describe('reachLimit', () => {
  const on = scenario(sessionFold, reachLimit);
  it('lets the first trip stand, and there is none after the end', () => {
    on.given([opened]).when(limit).then([limited]).thenReply({ repeated: false });
    on.given([opened, limited]).when({ ...limit, cause: 'doom_loop' }).thenNothing().thenReply({ repeated: true });
    on.given([opened, ended]).when(limit).thenNothing();
    on.given([]).when(limit).thenRefused('NOT_FOUND');
  });
  it('leaves the session open for its final turn', () => {
    const state = foldOf(sessionFold, [opened, limited]);
    expect([isOpen(state), state.limit]).toEqual([true, limit]);
    expect(requireOpen(state)).toEqual(opening);
  });
});

describe('endSession', () => {
  const on = scenario(sessionFold, endSession);
  it('ends once', () => {
    on.given([opened]).when(ending).then([ended]).thenReply({ repeated: false });
    on.given([opened, ended]).when({ ...ending, by: 'other' }).thenNothing().thenReply({ repeated: true });
    on.given([]).when(ending).thenRefused('NOT_FOUND');
  });
});

describe('laws of the session', () => {
  const facts = fc.array(fc.constantFrom(opened, ended, limited, { ...limited, data: { ...limit, cause: 'doom_loop' } } as SessionEvent, granted('g1'), granted('g2'), grantRevoked('g1'), { type: 'session.FromTheFuture', data: {} } as unknown as SessionEvent), { maxLength: 8 });

  it('folds in parts as in one, and an ended session is never open again', () => {
    fc.assert(fc.property(facts, facts, (first, later) => {
      const before = foldOf(sessionFold, first);
      const after = later.reduce(evolve, before);
      expect(after).toEqual(foldOf(sessionFold, [...first, ...later]));
      if (before.ended) expect(isOpen(after)).toBe(false);
    }));
  });

  it('a trip stands, what was revoked does not come back, and the end leaves no grant', () => {
    fc.assert(fc.property(facts, facts, (first, later) => {
      const before = foldOf(sessionFold, first);
      const after = later.reduce(evolve, before);
      if (before.limit) expect(after.limit).toEqual(before.limit);
      for (const id of before.givenGrants) if (!before.grants.has(id)) expect(after.grants.has(id)).toBe(false);
      if (after.ended) expect(after.grants.size).toBe(0);
      for (const id of after.grants.keys()) expect(after.givenGrants.has(id)).toBe(true);
    }));
  });

  it('deciding twice changes nothing', () => {
    const open = evolve(sessionFold.initial, opened);
    expect(giveGrant(evolve(open, granted('g1')), grantOf('g1')).event).toBeUndefined();
    expect(reachLimit(evolve(open, limited), limit).event).toBeUndefined();
    expect(openSession(open, opening).event).toBeUndefined();
    expect(endSession(evolve(open, ended), ending).event).toBeUndefined();
  });

  it('requires an open session in so many words', () => {
    expect(requireOpen(foldOf(sessionFold, [opened]))).toEqual(opening);
    expect(() => requireOpen(sessionFold.initial)).toThrow(expect.objectContaining({ code: 'NOT_FOUND' }));
    expect(() => requireOpen(foldOf(sessionFold, [opened, ended]))).toThrow(expect.objectContaining({ code: 'SESSION_ENDED' }));
  });
});
