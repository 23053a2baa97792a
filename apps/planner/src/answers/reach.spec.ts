import type { AnswerItem, SessionEvent } from '@countersign/contracts';
import { sessionFold } from '@countersign/domain-session';
import { injectFaults } from '@countersign/fault-points';
import { GateError, foldOf } from '@countersign/kernel';
import { PLAN, SESSION, call, plannerInMemory, refusalOf } from '../test/planner-in-memory.js';

async function asked(terms = {}): Promise<ReturnType<typeof plannerInMemory>> {
  const planner = plannerInMemory();
  await planner.ready();
  await planner.proposals.propose(planner.proposal([call('c1'), call('c2')]));
  await planner.judge('ask', { terms });
  return planner;
}
type Planner = Awaited<ReturnType<typeof asked>>;
const item = (planner: Planner) => planner.planState().items.get('i1')!;
const sessionOf = (planner: Planner) => foldOf(sessionFold, planner.broker.all('GATE').filter((event) => event.type.startsWith('session.')) as unknown as SessionEvent[]);
const grantsOf = (planner: Planner) => [...sessionOf(planner).grants.values()];
const narrow = { kind: 'path_prefix', field: '/path', prefix: '/tmp' } as const;
const STANDING = `g${'1'.repeat(24)}`;

describe('an answer for the session', () => {
  it('is remembered in the session once it is durable, and returned then', async () => {
    const planner = await asked();
    const command = planner.answer({ scope: 'session', narrow, reason: 'fine here' });
    const { sequence, grantId } = await planner.answers.answer(command);
    expect(planner.broker.all('GATE').map((event) => event.type).slice(-2)).toEqual(['plan.ItemsAnswered', 'session.Granted']);
    expect(sequence).toBe(planner.broker.all('GATE').at(-2)!.sequence);
    expect(grantsOf(planner)).toEqual([{
      grantId, provider: 'files', operation: 'write_file', decision: 'allow', narrow, by: 'ops', reason: 'fine here', origin: { plan: PLAN, itemId: 'i1' }, at: command.at,
    }]);
    expect(item(planner).answer).toMatchObject({ scope: 'session', grant: { grantId, narrow } });
    expect(planner.policy.reserved).toMatchObject([{ scope: 'session', planId: PLAN, itemId: 'i1', decision: 'allow', narrow, author: 'ops', reason: 'fine here' }]);
    expect(planner.policy.activated).toEqual([]);
  });

  it('remembers a rejection as well', async () => {
    const planner = await asked();
    await planner.answers.answer(planner.answer({ scope: 'session', decision: 'reject' }));
    expect(grantsOf(planner)).toMatchObject([{ decision: 'deny' }]);
  });

  it('answers no other item of the same operation', async () => {
    const planner = await asked();
    await planner.answers.answer(planner.answer({ scope: 'session' }));
    expect(planner.planState().items.get('i2')!.answer).toBeUndefined();
  });

  it('is the same again with the stored result, and asks policy for nothing more', async () => {
    const planner = await asked();
    const first = await planner.answers.answer(planner.answer({ scope: 'session' }));
    expect(await planner.answers.answer(planner.answer({ scope: 'session' }))).toEqual({ sequence: first.sequence, repeated: true, grantId: first.grantId });
    expect(await refusalOf(planner.answers.answer(planner.answer()))).toMatchObject({ code: 'ALREADY_RESOLVED' });
    expect(planner.policy.reserved).toHaveLength(1);
    expect(grantsOf(planner)).toHaveLength(1);
  });

  it('is made good by the plan’s timer within seconds when a crash leaves it out', async () => {
    const planner = await asked();
    injectFaults('planner.after-append=throw@1');
    await expect(planner.answers.answer(planner.answer({ scope: 'session' }))).rejects.toThrow();
    injectFaults('');
    expect(grantsOf(planner)).toEqual([]);
    await planner.timers.advanceBy(5_000);
    expect(grantsOf(planner)).toMatchObject([{ grantId: item(planner).answer!.grant!.grantId }]);
    await planner.timers.advanceBy(3_600_000);
    expect(grantsOf(planner)).toHaveLength(1);
  });

  it('is not given again once it was revoked', async () => {
    const planner = await asked();
    const { grantId } = await planner.answers.answer(planner.answer({ scope: 'session' }));
    const revoked = { type: 'session.GrantRevoked', data: { grantId: grantId!, by: 'ops', at: planner.at() }, meta: { actor: 'person:ops', correlationId: 'r2' } } as const;
    await planner.log.append(planner.sessionKey, await planner.log.end(planner.sessionKey), revoked);
    await planner.timers.advanceBy(60_000);
    expect(grantsOf(planner)).toEqual([]);
  });

  it('needs nothing more when its session has ended', async () => {
    const planner = await asked();
    injectFaults('planner.after-append=throw@1');
    await expect(planner.answers.answer(planner.answer({ scope: 'session' }))).rejects.toThrow();
    injectFaults('');
    await planner.sessions.end({ context: planner.context(), sessionId: SESSION, reason: 'done', at: planner.at() });
    await planner.timers.advanceBy(5_000);
    expect([sessionOf(planner).givenGrants.size, planner.timers.pending(), planner.warnings]).toEqual([0, [], []]);
  });
});

describe('an answer for always', () => {
  it('cites the reservation, and is returned when policy has put it in force', async () => {
    const planner = await asked();
    const command = planner.answer({ scope: 'always', narrow, grantExpiresAt: '2026-04-01T00:00:00.000Z' });
    expect(await planner.answers.answer(command)).toMatchObject({ grantId: STANDING });
    expect(item(planner).answer?.grant).toEqual({ grantId: STANDING, reservation: 'r1', narrow, expiresAt: '2026-04-01T00:00:00.000Z' });
    expect(planner.policy.reserved).toMatchObject([{ scope: 'always', expiresAt: '2026-04-01T00:00:00.000Z' }]);
    expect(planner.policy.activated).toMatchObject([{ grantId: STANDING, reservation: 'r1', context: { tenant: 'acme', principal: 'ops' } }]);
    expect(grantsOf(planner)).toEqual([]);
  });

  it('is made good by the plan’s timer, as often as it takes', async () => {
    const planner = await asked();
    planner.policy.activateFails.push(new GateError('UNAVAILABLE'), new GateError('TIMEOUT'));
    expect(await refusalOf(planner.answers.answer(planner.answer({ scope: 'always' })))).toMatchObject({ code: 'TIMEOUT', details: { itemId: 'i1' } });
    expect(item(planner).answer?.scope).toBe('always');
    await planner.timers.advanceBy(5_000);
    expect([planner.policy.activated.length, planner.warnings.length]).toEqual([0, 1]);
    await planner.timers.advanceBy(5_000);
    expect(planner.policy.activated).toMatchObject([{ grantId: STANDING }]);
  });

  it('is in force with the repetition that follows', async () => {
    const planner = await asked();
    planner.policy.activateFails.push(new GateError('UNAVAILABLE'));
    await refusalOf(planner.answers.answer(planner.answer({ scope: 'always' })));
    expect(await planner.answers.answer(planner.answer({ scope: 'always' }))).toMatchObject({ repeated: true, grantId: STANDING });
    expect(planner.policy.activated).toHaveLength(1);
  });

  it('is not tried for ever when its reservation has lapsed', async () => {
    const planner = await asked();
    planner.policy.activateFails.push(new GateError('RESERVATION_LAPSED'), new GateError('RESERVATION_LAPSED'));
    expect(await refusalOf(planner.answers.answer(planner.answer({ scope: 'always' })))).toMatchObject({ code: 'RESERVATION_LAPSED', message: expect.stringContaining('for this once only') });
    await planner.timers.advanceBy(5_000);
    expect(planner.warnings).toMatchObject([{ code: 'RESERVATION_LAPSED' }]);
    await planner.timers.advanceBy(3_600_000);
    expect(planner.policy.activated.length).toBeLessThanOrEqual(1);
  });

  it('is not answered with a reservation that has lapsed before the append', async () => {
    const planner = await asked();
    const reserve = planner.policy.reserve.bind(planner.policy);
    planner.policy.reserve = async (command) => {
      const checked = await reserve(command);
      await planner.timers.advanceBy(60_000);
      return checked;
    };
    expect(await refusalOf(planner.answers.answer(planner.answer({ scope: 'always' })))).toMatchObject({ code: 'RESERVATION_LAPSED' });
    expect(item(planner).answer).toBeUndefined();
  });
});

describe('an answer whose reach is refused', () => {
  it.each(['GRANT_INEFFECTIVE', 'STANDING_RULE_CONFLICT', 'POLICY_STORE_READ_ONLY', 'NARROW_REQUIRED', 'NARROW_INVALID', 'UNAVAILABLE', 'TIMEOUT'] as const)('by policy with %s leaves the item as it was', async (code) => {
    const planner = await asked();
    planner.policy.reserveFails.push(new GateError(code, undefined, { rule: 'no' }));
    expect(await refusalOf(planner.answers.answer(planner.answer({ scope: 'always' })))).toMatchObject({ code, details: { rule: 'no' } });
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated']);
    await planner.answers.answer(planner.answer());
  });

  it('by the terms of the ask is asked of nobody', async () => {
    const planner = await asked({ scopes: ['once'], requireReason: true });
    expect(await refusalOf(planner.answers.answer(planner.answer({ scope: 'session', reason: 'r' })))).toMatchObject({ code: 'SCOPE_NOT_OFFERED' });
    expect(await refusalOf(planner.answers.answer(planner.answer()))).toMatchObject({ code: 'REASON_REQUIRED' });
    const narrowOnly = await asked({ narrowOnly: true });
    expect(await refusalOf(narrowOnly.answers.answer(narrowOnly.answer({ scope: 'session' })))).toMatchObject({ code: 'NARROW_REQUIRED' });
    expect([planner.policy.reserved, narrowOnly.policy.reserved]).toEqual([[], []]);
  });

  it('for a session that remembers as much as it may is refused before it is answered', async () => {
    const planner = await asked();
    const given = sessionOf(planner);
    expect(given.grants.size).toBe(0);
    for (let index = 0; index < 200; index += 1) {
      const grant = { grantId: `g${index}`, provider: 'files', operation: `op${index}`, decision: 'allow', by: 'ops', origin: { plan: PLAN, itemId: 'i1' }, at: planner.at() } as const;
      await planner.log.append(planner.sessionKey, await planner.log.end(planner.sessionKey), { type: 'session.Granted', data: { grant }, meta: { actor: 'service:planner', correlationId: 'r' } });
    }
    expect(await refusalOf(planner.answers.answer(planner.answer({ scope: 'session' })))).toMatchObject({ code: 'AGGREGATE_TOO_LONG' });
    expect(item(planner).answer).toBeUndefined();
  });

  it.each<[string, Partial<AnswerItem>, string]>([
    ['a scope that is none', { scope: 'forever' as 'once' }, 'INVALID_REQUEST'],
    ['a condition on one call', { scope: 'once', narrow }, 'INVALID_REQUEST'],
    ['an end of what lasts no longer than the session', { scope: 'session', grantExpiresAt: '2026-04-01T00:00:00.000Z' }, 'INVALID_REQUEST'],
    ['an end that is past', { scope: 'always', grantExpiresAt: '2026-01-01T00:00:00.000Z' }, 'INVALID_REQUEST'],
    ['an end that is no time', { scope: 'always', grantExpiresAt: 'soon' }, 'INVALID_REQUEST'],
    ['a condition that is none', { scope: 'session', narrow: { kind: 'anything' } as unknown as typeof narrow }, 'NARROW_INVALID'],
    ['a condition with a field too many', { scope: 'session', narrow: { ...narrow, host: 'x' } as typeof narrow }, 'NARROW_INVALID'],
    ['roles that are none', { roles: 'approver' as unknown as string[] }, 'INVALID_REQUEST'],
    ['no time', { at: 'now' }, 'INVALID_REQUEST'],
    ['a reason without end', { reason: 'x'.repeat(2_001) }, 'INVALID_REQUEST'],
  ])('because it asks for %s', async (_what, said, code) => {
    const planner = await asked();
    expect(await refusalOf(planner.answers.answer(planner.answer(said)))).toMatchObject({ code });
    expect(planner.typesOf()).toHaveLength(2);
  });
});
