import { DEFAULT_TENANT_SETTINGS, type PermissionMode, type SessionGranted } from '@countersign/contracts';
import { isStopped, itemsToApply } from '@countersign/domain-plan';
import { PLAN, SESSION, call, plannerInMemory, refusalOf } from '../test/planner-in-memory.js';
import { plannerServices } from '../planner-services.js';
import { OpenPlans } from './open-plans.js';

async function proposed(): Promise<ReturnType<typeof plannerInMemory>> {
  const planner = plannerInMemory();
  await planner.ready();
  await planner.proposals.propose(planner.proposal([call('c1'), call('c2')]));
  return planner;
}
const end = (planner: ReturnType<typeof plannerInMemory>) =>
  planner.sessions.end({ context: planner.context(), sessionId: SESSION, reason: 'done', at: planner.at() });
const cancel = (planner: ReturnType<typeof plannerInMemory>) => planner.cancellation.cancel({ context: planner.context(), planId: PLAN, at: planner.at() });
/** Another process, which has proposed none of the plans. */
const plannerBeside = (planner: ReturnType<typeof plannerInMemory>) => plannerServices({
  log: planner.log, blobs: planner.blobs, timers: planner.timers, now: planner.now, policy: planner.policy, config: { broker: { urls: [], user: '', password: '' } },
  logger: { info: () => {}, warn: () => {}, error: () => {} },
});
const decidedBy = (planner: ReturnType<typeof plannerInMemory>) => [...planner.planState().items.values()].map((item) => item.closed ?? (item.expiredAt && 'expired'));

describe('the timer of a plan', () => {
  it('closes it when no verdict comes in a minute, and then rests', async () => {
    const planner = await proposed();
    await planner.timers.advanceBy(59_999);
    expect(planner.typesOf()).toEqual(['plan.Proposed']);
    await planner.timers.advanceBy(1);
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Closed']);
    expect(decidedBy(planner)).toEqual(['policy_unavailable', 'policy_unavailable']);
    expect(planner.timers.pending()).toEqual([]);
  });

  it('moves on to the expiry of what is asked, and expires it', async () => {
    const planner = await proposed();
    await planner.judge('ask');
    await planner.timers.advanceBy(60_000);
    expect(planner.timers.pending()).toEqual([`plan.acme.${PLAN}`]);
    await planner.timers.advanceBy(1_800_000);
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ItemsExpired']);
    expect(decidedBy(planner)).toEqual(['expired', 'expired']);
    expect(planner.timers.pending()).toEqual([]);
  });

  it('leaves alone what is decided', async () => {
    const planner = await proposed();
    await planner.judge('allow');
    await planner.timers.advanceBy(3_600_000);
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated']);
  });

  it('fired twice or too early changes nothing', async () => {
    const planner = await proposed();
    await planner.clock.fired(`plan.acme.${PLAN}`);
    expect(planner.typesOf()).toEqual(['plan.Proposed']);
    await planner.timers.advanceBy(60_000);
    await planner.clock.fired(`plan.acme.${PLAN}`);
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Closed']);
  });

  it('does nothing for a plan that is not there, and refuses a name that is not a plan’s', async () => {
    const planner = await proposed();
    await planner.clock.fired(`plan.acme.${SESSION}-p${'e'.repeat(24)}`);
    expect(await refusalOf(planner.clock.fired('session.acme.x'))).toMatchObject({ code: 'INTERNAL' });
    expect(planner.typesOf()).toEqual(['plan.Proposed']);
  });
});

describe('the end of a session', () => {
  it('closes the plans this process knows of, before it is answered', async () => {
    const planner = await proposed();
    await planner.judge('ask');
    await end(planner);
    expect(decidedBy(planner)).toEqual(['session_ended', 'session_ended']);
    expect(await end(planner)).toMatchObject({ repeated: true });
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.Closed']);
  });

  it('closes what is allowed and not applied yet as well, and leaves what is denied as it is', async () => {
    for (const [verdict, types] of [['allow', ['plan.Proposed', 'plan.Evaluated', 'plan.Closed']], ['deny', ['plan.Proposed', 'plan.Evaluated']]] as const) {
      const planner = await proposed();
      await planner.judge(verdict);
      await end(planner);
      expect(planner.typesOf()).toEqual(types);
      expect(decidedBy(planner)).toEqual([undefined, undefined]);
    }
  });

  it('closes at their timers the plans that another process proposed', async () => {
    const planner = await proposed();
    await planner.judge('ask');
    const ended = { type: 'session.Ended', data: { by: 'ops', reason: 'done', at: planner.at() }, meta: { actor: 'person:ops', correlationId: 'r2' } } as const;
    await planner.log.append(planner.sessionKey, await planner.log.end(planner.sessionKey), ended);
    await planner.timers.advanceBy(60_000);
    expect(decidedBy(planner)).toEqual(['session_ended', 'session_ended']);
  });

  it('closes by its own timer what another process proposed and what waits without an end, and then rests', async () => {
    const planner = await proposed();
    await planner.judge('ask', { terms: { onTimeout: 'wait' } });
    await planner.timers.advanceBy(3_600_000);
    expect([planner.timers.pending(), decidedBy(planner)]).toEqual([[], [undefined, undefined]]);
    const other = plannerBeside(planner);
    await other.sessions.end({ context: planner.context(), sessionId: SESSION, reason: 'done', at: planner.at() });
    expect(decidedBy(planner)).toEqual([undefined, undefined]);
    await planner.timers.advanceBy(5_000);
    expect(decidedBy(planner)).toEqual(['session_ended', 'session_ended']);
    expect(planner.planState().closed).toMatchObject({ reason: 'session_ended', by: 'ops' });
    expect(planner.timers.pending()).toEqual([]);
  });

  it.each([['the end of the session', end], ['cancelling', cancel]])('%s resolves what waits for more votes, and what waits to be judged again after a correction', async (_, stop) => {
    const planner = await proposed();
    await planner.judge('ask', { terms: { quorum: 2 } });
    await planner.answers.answer(planner.answer({ itemId: 'i1' }));
    await planner.corrections.correct(planner.correction({ path: 'b.txt' }, { itemId: 'i2' }));
    await stop(planner);
    const by = stop === end ? 'session_ended' : 'cancelled';
    expect(decidedBy(planner)).toEqual([by, by]);
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ItemsVoted', 'plan.ItemCorrected', 'plan.Closed']);
    for (const itemId of ['i1', 'i2']) expect(await refusalOf(planner.answers.answer(planner.answer({ itemId, principal: 'second' })))).toMatchObject({ code: 'ALREADY_RESOLVED' });
  });

  it('refuses what is no session, or none that was opened', async () => {
    const planner = await proposed();
    expect(await refusalOf(planner.sessions.end({ context: planner.context(), sessionId: 'x', reason: '', at: planner.at() }))).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await refusalOf(planner.sessions.end({ context: planner.context(), sessionId: `s${'9'.repeat(24)}`, reason: '', at: planner.at() }))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('cancelling', () => {
  it('denies what is undecided, once', async () => {
    const planner = await proposed();
    const cancel = () => planner.cancellation.cancel({ context: planner.context(), planId: PLAN, at: planner.at() });
    const first = await cancel();
    expect(first.repeated).toBeUndefined();
    expect(await cancel()).toEqual({ sequence: first.sequence, repeated: true });
    expect(decidedBy(planner)).toEqual(['cancelled', 'cancelled']);
    expect(await refusalOf(planner.cancellation.cancel({ context: planner.context('ops', 'other'), planId: PLAN, at: planner.at() }))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('cancelling what is allowed', () => {
  it('is written down, so that nothing more of it is started', async () => {
    const planner = await proposed();
    await planner.judge('allow');
    const cancel = () => planner.cancellation.cancel({ context: planner.context(), planId: PLAN, at: planner.at() });
    await cancel();
    expect(await cancel()).toMatchObject({ repeated: true });
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.Closed']);
    expect([isStopped(planner.planState()), itemsToApply(planner.planState())]).toEqual([true, []]);
  });
});

describe('opening a session', () => {
  const open = (planner: ReturnType<typeof plannerInMemory>, permissionMode: PermissionMode, session = `s${'7'.repeat(24)}`) => planner.sessions.open({
    context: planner.context('agent'), sessionId: session, agent: 'coder', profile: 'default', kind: 'chat', permissionMode, requestDigest: permissionMode, at: planner.at(),
  });

  it('in a mode that lifts every ask is the tenant’s to permit', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    expect(await refusalOf(open(planner, 'bypassPermissions'))).toMatchObject({ code: 'MODE_FORBIDDEN' });
    await open(planner, 'acceptEdits', `s${'8'.repeat(24)}`);
    await planner.care.changeSettings({ context: planner.context(), settings: { ...DEFAULT_TENANT_SETTINGS, bypassPermissions: true }, at: planner.at() });
    await open(planner, 'bypassPermissions');
    expect(planner.broker.all('GATE').at(-1)).toMatchObject({ type: 'session.Opened', data: { permissionMode: 'bypassPermissions' } });
  });
});

describe('revoking a grant of a session', () => {
  it('is recorded once, and is refused for a grant that was not given', async () => {
    const planner = await proposed();
    await planner.judge('ask');
    await planner.answers.answer(planner.answer({ scope: 'session' }));
    const granted = planner.broker.all('GATE').findLast(({ type }) => type === 'session.Granted') as unknown as { data: SessionGranted };
    const revoke = (grantId: string) => planner.sessions.revokeGrant({ context: planner.context(), sessionId: SESSION, grantId, at: planner.at() });
    const { sequence } = await revoke(granted.data.grant.grantId);
    expect(await revoke(granted.data.grant.grantId)).toEqual({ sequence, repeated: true });
    expect(planner.broker.all('GATE').at(-1)).toMatchObject({ type: 'session.GrantRevoked', data: { by: 'ops' }, meta: { actor: 'person:ops' } });
    expect(await refusalOf(revoke('other'))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('OpenPlans', () => {
  it('gives a session’s plans once and forgets the quietest session first', () => {
    const open = new OpenPlans(3);
    open.add('t', 's1', 'a');
    open.add('t', 's2', 'b');
    open.add('t', 's1', 'c');
    open.add('t', 's3', 'd');
    expect(open.take('t', 's2')).toEqual([]);
    expect(open.take('t', 's1')).toEqual(['a', 'c']);
    expect(open.take('t', 's1')).toEqual([]);
    expect(open.take('other', 's3')).toEqual([]);
    expect(open.take('t', 's3')).toEqual(['d']);
  });
});
