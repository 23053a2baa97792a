import { generateKeyPairSync, sign } from 'node:crypto';
import type { AnswerItem, Command } from '@countersign/contracts';
import { canonicalJson } from '@countersign/kernel';
import { PLAN, SESSION, call, plannerInMemory, refusalOf, signed } from '../test/planner-in-memory.js';

async function asked(items = 1): Promise<ReturnType<typeof plannerInMemory>> {
  const planner = plannerInMemory();
  await planner.ready();
  await planner.proposals.propose(planner.proposal(Array.from({ length: items }, (_, index) => call(`c${index}`))));
  await planner.judge('ask');
  return planner;
}

describe('answering', () => {
  it('keeps the answer with its assertion', async () => {
    const planner = await asked();
    const command = planner.answer({ decision: 'reject', reason: 'not today' });
    const accepted = await planner.answers.answer(command);
    expect(planner.eventsOf(PLAN).at(-1)).toMatchObject({
      type: 'plan.ItemsAnswered',
      data: { answers: [{ itemId: 'i1', decision: 'reject', scope: 'once', principal: 'ops', reason: 'not today', answeredAt: command.at, assertion: command.assertion }] },
    });
    expect(accepted).toEqual({ sequence: planner.broker.all('GATE').at(-1)!.sequence });
    expect(planner.planState().items.get('i1')?.answer).not.toHaveProperty('itemDigest');
  });

  it('lets one of a hundred racing answers win; the other 99 are told the verdict', async () => {
    const planner = await asked();
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, index) => refusalOf(planner.answers.answer(
      planner.answer({ principal: `person${index}`, decision: index % 2 ? 'approve' : 'reject' }),
    ))));
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ItemsAnswered']);
    const { answer } = planner.planState().items.get('i1')!;
    const verdict = { decision: answer!.decision === 'approve' ? 'allow' : 'deny', decidedBy: `person:${answer!.principal}` };
    expect(outcomes.filter(({ code }) => code === undefined)).toHaveLength(1);
    const told = outcomes.filter(({ code }) => code === 'ALREADY_RESOLVED');
    expect(told).toHaveLength(99);
    for (const { details } of told) expect(details).toEqual({ itemId: 'i1', verdict });
  });

  it('appends answers to different items that come together as few events', async () => {
    const planner = await asked(100);
    await Promise.all(Array.from({ length: 100 }, (_, index) => planner.answers.answer(planner.answer({ itemId: `i${index + 1}`, principal: `person${index}` }))));
    const answers = planner.typesOf().filter((type) => type === 'plan.ItemsAnswered');
    expect(answers.length).toBeLessThanOrEqual(3);
    expect([...planner.planState().items.values()].every((item) => item.answer)).toBe(true);
    expect(planner.broker.all('GATE').at(-1)!.meta.actor).toBe('service:planner');
  });

  it('gives the same person the stored result', async () => {
    const planner = await asked();
    await planner.answers.answer(planner.answer());
    await planner.timers.advanceBy(5_000);
    expect(await planner.answers.answer(planner.answer())).toMatchObject({ repeated: true });
    expect(planner.typesOf()).toHaveLength(3);
  });

  it('refuses what is late, changed, not asked or not there', async () => {
    const planner = await asked();
    expect(await refusalOf(planner.answers.answer(planner.answer({ itemDigest: 'another' })))).toMatchObject({ code: 'ITEM_CHANGED' });
    expect(await refusalOf(planner.answers.answer(planner.answer({ itemId: 'i7' })))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusalOf(planner.answers.answer(planner.answer({ planId: `${SESSION}-p${'e'.repeat(24)}` })))).toMatchObject({ code: 'NOT_FOUND' });
    const late = planner.answer({ at: new Date(planner.now().getTime() + 1_800_000).toISOString() });
    expect(await refusalOf(planner.answers.answer(late))).toMatchObject({ code: 'APPROVAL_EXPIRED' });
    expect(planner.typesOf()).toHaveLength(2);
  });

  it('closes the plan of an ended session instead', async () => {
    const planner = await asked();
    const end = { type: 'session.Ended', data: { by: 'ops', reason: 'done', at: planner.at() }, meta: { actor: 'person:ops', correlationId: 'r2' } } as const;
    await planner.log.append(planner.sessionKey, await planner.log.end(planner.sessionKey), end);
    expect(await refusalOf(planner.answers.answer(planner.answer()))).toEqual({
      code: 'ALREADY_RESOLVED', message: expect.any(String), details: { itemId: 'i1', verdict: { decision: 'deny', decidedBy: 'session:ended' } },
    });
    expect(planner.typesOf().at(-1)).toBe('plan.Closed');
  });
});

describe('a quorum', () => {
  const askedOfTwo = async (quorum = 2) => {
    const planner = plannerInMemory();
    await planner.ready();
    await planner.proposals.propose(planner.proposal());
    await planner.judge('ask', { terms: { quorum } });
    return planner;
  };

  it('is told of with each vote, and complete with the last', async () => {
    const planner = await askedOfTwo();
    const first = await planner.answers.answer(planner.answer({ principal: 'ann' }));
    expect(first).toEqual({ sequence: planner.broker.all('GATE').at(-1)!.sequence, pending: { approvals: 1, quorum: 2 } });
    expect(planner.eventsOf(PLAN).at(-1)).toMatchObject({ type: 'plan.ItemsVoted', data: { votes: [{ itemId: 'i1', principal: 'ann', decision: 'approve' }] } });
    expect(await planner.answers.answer(planner.answer({ principal: 'ann' }))).toMatchObject({ repeated: true, pending: { approvals: 1, quorum: 2 } });
    expect(await planner.answers.answer(planner.answer({ principal: 'ben' }))).not.toHaveProperty('pending');
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ItemsVoted', 'plan.ItemsAnswered']);
  });

  it('is complete once when a hundred approve at the same moment', async () => {
    const planner = await askedOfTwo(3);
    const told = await Promise.all(Array.from({ length: 100 }, (_, index) => refusalOf(planner.answers.answer(planner.answer({ principal: `person${index}` })))));
    expect(told.filter(({ code }) => code === undefined)).toHaveLength(3);
    expect(told.filter(({ code }) => code === 'ALREADY_RESOLVED')).toHaveLength(97);
    const { votes, answer } = planner.planState().items.get('i1')!;
    expect(new Set([...votes.map(({ principal }) => principal), answer!.principal]).size).toBe(3);
  });

  it('counts a person once who approves a hundred times at the same moment', async () => {
    const planner = await askedOfTwo();
    const told = await Promise.all(Array.from({ length: 100 }, () => planner.answers.answer(planner.answer({ principal: 'ann' }))));
    expect(told.filter(({ repeated }) => !repeated)).toHaveLength(1);
    expect(planner.planState().items.get('i1')).toMatchObject({ votes: [{ principal: 'ann' }] });
    expect(planner.planState().items.get('i1')!.answer).toBeUndefined();
  });

  it('is void after a correction', async () => {
    const planner = await askedOfTwo();
    await planner.answers.answer(planner.answer({ principal: 'ann' }));
    await planner.corrections.correct(planner.correction({ path: 'b.txt' }, { principal: 'ben' }));
    await planner.judge('ask', { terms: { quorum: 2 } });
    expect(await planner.answers.answer(planner.answer({ principal: 'ben' }))).toMatchObject({ pending: { approvals: 1, quorum: 2 } });
  });
});

describe('clocks that jump', () => {
  it('decide by planner’s time as well as by the gateway’s', async () => {
    const planner = await asked();
    await planner.timers.advanceBy(1_799_999);
    const early = planner.answer({ at: '2026-03-01T09:00:00.000Z' });
    await planner.timers.advanceBy(1);
    expect(await refusalOf(planner.answers.answer(early))).toMatchObject({ code: 'APPROVAL_EXPIRED' });
    const ahead = await asked();
    expect(await refusalOf(ahead.answers.answer(ahead.answer({ at: '2031-01-01T00:00:00.000Z' })))).toMatchObject({ code: 'APPROVAL_EXPIRED' });
    expect(ahead.typesOf()).toHaveLength(2);
  });

  it('cannot bring an item back that was too late once: the refusal writes the expiry down', async () => {
    let skewMs = 0;
    const planner = plannerInMemory({ skew: () => skewMs });
    await planner.ready();
    await planner.proposals.propose(planner.proposal());
    await planner.judge('ask');
    const inTime = planner.answer();
    skewMs = 1_800_000;
    expect(await refusalOf(planner.answers.answer(inTime))).toMatchObject({ code: 'APPROVAL_EXPIRED' });
    expect(planner.typesOf().at(-1)).toBe('plan.ItemsExpired');
    skewMs = -3_600_000;
    expect(await refusalOf(planner.answers.answer(inTime))).toMatchObject({ code: 'APPROVAL_EXPIRED' });
    expect(planner.planState().items.get('i1')!.answer).toBeUndefined();
  });

  it('do not make an answer last longer: the earlier of two times is kept', async () => {
    const planner = await asked();
    await planner.answers.answer(planner.answer({ at: '2026-03-01T10:20:00.000Z' }));
    expect(planner.planState().items.get('i1')!.answer?.answeredAt).toBe('2026-03-01T10:00:00.000Z');
  });
});

describe('the assertion', () => {
  type Change = (command: Command<AnswerItem>) => Command<AnswerItem>;
  const stranger = generateKeyPairSync('ed25519').privateKey;
  const withClaims = (command: Command<AnswerItem>, claims: object): Command<AnswerItem> => ({
    ...command, assertion: { ...command.assertion, claims: { ...command.assertion.claims, ...claims } },
  });

  it.each<[string, Change]>([
    ['a decision turned round', (command) => ({ ...command, decision: 'reject' })],
    ['a decision turned round in the claims too', (command) => ({ ...withClaims(command, { decision: 'reject' }), decision: 'reject' })],
    ['another principal', (command) => ({ ...command, context: { ...command.context, principal: 'other' } })],
    ['another tenant', (command) => ({ ...command, context: { ...command.context, tenant: 'other' } })],
    ['another item', (command) => ({ ...command, itemId: 'i2' })],
    ['another plan', (command) => ({ ...command, planId: `${SESSION}-p${'e'.repeat(24)}` })],
    ['another digest', (command) => ({ ...command, itemDigest: 'another' })],
    ['another time', (command) => ({ ...command, at: '2020-01-01T00:00:00.000Z' })],
    ['a reason nobody signed', (command) => ({ ...command, reason: 'because' })],
    ['a role nobody signed', (command) => ({ ...command, roles: ['approver', 'security'] })],
    ['roles where none were signed', (command) => withClaims(command, { roles: undefined })],
    ['a wider scope', (command) => ({ ...command, scope: 'always' })],
    ['a wider scope in the claims too', (command) => withClaims({ ...command, scope: 'session' }, { scope: 'session' })],
    ['a condition nobody signed', (command) => ({ ...command, scope: 'session', narrow: { kind: 'host', field: '/url', host: 'example.org' } })],
    ['an end nobody signed', (command) => ({ ...command, scope: 'always', grantExpiresAt: '2031-01-01T00:00:00.000Z' })],
    ['a claim of a correction', (command) => withClaims(command, { inputDigest: 'd' })],
    ['claims beyond the known ones', (command) => withClaims(command, { role: 'admin' })],
    ['a key that is not known', (command) => ({ ...command, assertion: { ...command.assertion, keyId: 'toString' } })],
    ['a signature by somebody else', (command) => ({
      ...command, assertion: { ...command.assertion, signature: sign(null, Buffer.from(canonicalJson(command.assertion.claims)), stranger).toString('base64url') },
    })],
    ['no signature', (command) => ({ ...command, assertion: { ...command.assertion, signature: '' } })],
    ['a second spelling of the signature', (command) => ({ ...command, assertion: { ...command.assertion, signature: `${command.assertion.signature}==` } })],
  ])('refuses %s', async (_what, change) => {
    const planner = await asked();
    expect(await refusalOf(planner.answers.answer(change(planner.answer())))).toMatchObject({ code: 'ASSERTION_INVALID' });
    expect(planner.typesOf()).toHaveLength(2);
  });

  it('of the oldest gateways lacks roles and scope, which says none and once', async () => {
    const planner = await asked();
    const command = planner.answer({ roles: [] });
    const { roles: _roles, scope: _scope, ...claims } = command.assertion.claims;
    await planner.answers.answer({ ...command, assertion: signed(claims) });
    expect(planner.planState().items.get('i1')!.answer).toMatchObject({ scope: 'once', roles: [] });
  });
});
