import { generateKeyPairSync, sign } from 'node:crypto';
import type { AnswerItem, Command } from '@countersign/contracts';
import { canonicalJson } from '@countersign/kernel';
import { PLAN, SESSION, call, plannerInMemory, refusalOf } from '../test/planner-in-memory.js';

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
});
