import { LIMITS, type Command, type CorrectItem, type JsonObject } from '@countersign/contracts';
import { currentInputOf, itemsToPreview } from '@countersign/domain-plan';
import { GateError } from '@countersign/kernel';
import { PLAN, WRITE, call, plannerInMemory, refusalOf, sealed } from '../test/planner-in-memory.js';

async function asked(terms = {}): Promise<ReturnType<typeof plannerInMemory>> {
  const planner = plannerInMemory();
  await planner.ready([{ ...WRITE, previewable: true }]);
  await planner.proposals.propose(planner.proposal([call('c1'), call('c2')]));
  await planner.judge('ask', { terms });
  return planner;
}
type Planner = Awaited<ReturnType<typeof asked>>;
const fix = { path: 'b.txt' };
const item = (planner: Planner) => planner.planState().items.get('i1')!;

describe('correcting', () => {
  it('keeps the other arguments with the assertion, and the item waits for its verdict again', async () => {
    const planner = await asked();
    const command = planner.correction(fix, { reason: 'the other file' });
    const accepted = await planner.corrections.correct(command);
    expect(accepted).toEqual({ sequence: planner.broker.all('GATE').at(-1)!.sequence });
    expect(planner.eventsOf(PLAN).at(-1)).toEqual(expect.objectContaining({
      type: 'plan.ItemCorrected',
      data: {
        itemId: 'i1', correction: 1, input: sealed(fix), itemDigest: command.itemDigest, principal: 'ops', roles: ['approver'], reason: 'the other file',
        correctedAt: command.at, verdictDueAt: '2026-03-01T10:01:06.000Z', assertion: command.assertion,
      },
      meta: expect.objectContaining({ actor: 'person:ops' }),
    }));
    expect(itemsToPreview(planner.planState()).map(({ itemId }) => itemId)).toEqual(['i1']);
    expect(await planner.corrections.correct(command)).toMatchObject({ repeated: true });
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ItemCorrected']);
  });

  it('is confirmed by an answer to what is shown then, also where policy would allow it', async () => {
    const planner = await asked();
    const before = planner.answer();
    await planner.corrections.correct(planner.correction(fix));
    await planner.judge('allow');
    expect(item(planner).verdict).toMatchObject({ decision: 'ask', terms: { confirmation: true } });
    expect(await refusalOf(planner.answers.answer(before))).toMatchObject({ code: 'ITEM_CHANGED', details: { itemDigest: item(planner).verdict!.itemDigest } });
    await planner.answers.answer(planner.answer());
    expect([item(planner).answer?.decision, currentInputOf(item(planner))]).toEqual(['approve', sealed(fix)]);
  });

  it.each<[string, JsonObject, object]>([
    ['a missing field', { content: 'x' }, { pointer: '', problem: expect.stringContaining('path') }],
    ['a wrong type, which is not coerced', { path: 7 }, { pointer: '/path', problem: 'must be string' }],
    ['a field too many', { path: 'a', mode: 'x' }, { pointer: expect.any(String), problem: expect.any(String) }],
  ])('refuses %s with its place, and the item waits on', async (_what, input, problem) => {
    const planner = await asked();
    expect(await refusalOf(planner.corrections.correct(planner.correction(input)))).toMatchObject({ code: 'CORRECTED_INPUT_INVALID', details: { itemId: 'i1', problems: [problem] } });
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated']);
    await planner.answers.answer(planner.answer());
  });

  it('refuses what is no object, or not what its digest says, or not there', async () => {
    const planner = await asked();
    const list = sealed([1] as unknown as JsonObject);
    expect(await refusalOf(planner.corrections.correct(planner.correction(list)))).toMatchObject({ code: 'CORRECTED_INPUT_INVALID' });
    expect(await refusalOf(planner.corrections.correct(planner.correction({ ...sealed(fix), value: { path: 'c.txt' } })))).toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await refusalOf(planner.corrections.correct(planner.correction({ digest: 'd'.repeat(64), bytes: 20_000, store: 'BLOBS' })))).toMatchObject({ code: 'BLOB_MISSING' });
    expect(await refusalOf(planner.corrections.correct(planner.correction({ ...sealed(fix), bytes: LIMITS.blobBytes + 1 })))).toMatchObject({ code: 'BODY_TOO_LARGE' });
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated']);
  });

  it('takes a megabyte, beside the log', async () => {
    const planner = await asked();
    await planner.corrections.correct(planner.correction({ path: 'b.txt', content: 'x'.repeat(1024 * 1024) }));
    const { input } = item(planner).corrections[0]!;
    expect(input).toEqual({ digest: expect.any(String), bytes: expect.any(Number), store: 'BLOBS' });
    expect((await planner.blobs.get('BLOBS', 'acme', input.digest)).byteLength).toBe(input.bytes);
  });

  it('is checked by the schema as it was when the plan was proposed', async () => {
    const planner = await asked();
    await planner.providers.register({ context: planner.context(), name: 'files', endpoint: { transport: 'fake' }, operations: [{ ...WRITE, inputSchema: { type: 'object', required: ['other'] } }], at: planner.at() });
    await planner.corrections.correct(planner.correction(fix));
    expect(planner.typesOf().at(-1)).toBe('plan.ItemCorrected');
  });

  it('refuses what does not wait for a person before it looks at the arguments', async () => {
    const planner = await asked({ roles: ['security'] });
    expect(await refusalOf(planner.corrections.correct(planner.correction({ path: 7 }, { itemId: 'i9' })))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await refusalOf(planner.corrections.correct(planner.correction({ path: 7 }, { itemDigest: 'old' })))).toMatchObject({ code: 'ITEM_CHANGED' });
    expect(await refusalOf(planner.corrections.correct(planner.correction({ path: 7 })))).toMatchObject({ code: 'FORBIDDEN' });
    expect(await refusalOf(planner.corrections.correct(planner.correction({ path: 7 }, { roles: ['security'] })))).toMatchObject({ code: 'CORRECTED_INPUT_INVALID' });
    await planner.cancellation.cancel({ context: planner.context(), planId: PLAN, at: planner.at() });
    expect(await refusalOf(planner.corrections.correct(planner.correction({ path: 7 })))).toMatchObject({ code: 'ALREADY_RESOLVED' });
  });

  it('can be done five times', async () => {
    const planner = await asked();
    for (let round = 0; round < LIMITS.correctionsPerItem; round += 1) {
      await planner.corrections.correct(planner.correction({ path: `${round}.txt` }));
      await planner.judge('ask');
    }
    expect(await refusalOf(planner.corrections.correct(planner.correction(fix)))).toMatchObject({ code: 'TOO_MANY_CORRECTIONS' });
    await planner.answers.answer(planner.answer());
    expect(item(planner).earlier).toHaveLength(5);
  });

  it('lets one of many win that come at the same moment, and the others see what it made of the item', async () => {
    const planner = await asked();
    const told = await Promise.all(Array.from({ length: 20 }, (_, index) => refusalOf(planner.corrections.correct(planner.correction({ path: `${index}.txt` }, { principal: `person${index}` })))));
    expect(told.filter(({ code }) => code === undefined)).toHaveLength(1);
    expect(told.filter(({ code }) => code === 'ITEM_CHANGED')).toHaveLength(19);
    expect(item(planner).corrections).toHaveLength(1);
  });
});

describe('the time of a corrected item', () => {
  it('ends with its own verdict when that does not come', async () => {
    const planner = await asked();
    await planner.corrections.correct(planner.correction(fix));
    await planner.timers.advanceBy(65_999);
    expect(planner.typesOf()).toHaveLength(3);
    await planner.timers.advanceBy(1);
    expect([planner.typesOf().at(-1), item(planner).closed]).toEqual(['plan.Closed', 'policy_unavailable']);
  });

  it('is that of the first ask, through every correction', async () => {
    const planner = await asked();
    await planner.timers.advanceBy(29 * 60_000);
    await planner.corrections.correct(planner.correction(fix));
    await planner.judge('ask', { expiresInMs: 3_600_000 });
    await planner.timers.advanceBy(59_999);
    expect(planner.typesOf().at(-1)).toBe('plan.Evaluated');
    await planner.timers.advanceBy(1);
    expect([planner.typesOf().at(-1), item(planner).expiredAt]).toEqual(['plan.ItemsExpired', '2026-03-01T10:30:00.000Z']);
  });

  it('ends while the verdict is still to come', async () => {
    const planner = await asked();
    await planner.timers.advanceBy(29 * 60_000 + 30_000);
    await planner.corrections.correct(planner.correction(fix));
    await planner.timers.advanceBy(30_000);
    expect([planner.typesOf().at(-1), item(planner).expiredAt]).toEqual(['plan.ItemsExpired', '2026-03-01T10:30:00.000Z']);
  });

  it('ends with its session', async () => {
    const planner = await asked();
    await planner.corrections.correct(planner.correction(fix));
    await planner.sessions.end({ context: planner.context(), sessionId: planner.sessionKey.id, reason: 'done', at: planner.at() });
    expect(item(planner).closed).toBe('session_ended');
  });
});

describe('the assertion of a correction', () => {
  type Change = (command: Command<CorrectItem>) => Command<CorrectItem>;
  const withClaims = (command: Command<CorrectItem>, claims: object): Command<CorrectItem> => ({
    ...command, assertion: { ...command.assertion, claims: { ...command.assertion.claims, ...claims } },
  });

  it.each<[string, Change]>([
    ['other arguments', (command) => ({ ...command, input: sealed({ path: 'c.txt' }) })],
    ['other arguments in the claims too', (command) => withClaims({ ...command, input: sealed({ path: 'c.txt' }) }, { inputDigest: sealed({ path: 'c.txt' }).digest })],
    ['a role nobody signed', (command) => ({ ...command, roles: ['approver', 'security'] })],
    ['a signed approval', (command) => withClaims(command, { decision: 'approve' })],
    ['a claim too many', (command) => withClaims(command, { scope: 'always' })],
    ['another item', (command) => ({ ...command, itemId: 'i2' })],
    ['another time', (command) => ({ ...command, at: '2020-01-01T00:00:00.000Z' })],
  ])('refuses %s', async (_what, change) => {
    const planner = await asked();
    expect(await refusalOf(planner.corrections.correct(change(planner.correction(fix))))).toMatchObject({ code: 'ASSERTION_INVALID' });
    expect(planner.typesOf()).toHaveLength(2);
  });

  it('is no approval', async () => {
    const planner = await asked();
    const { assertion, input: _input, ...rest } = planner.correction(fix);
    const forged = { ...rest, decision: 'approve' as const, scope: 'once' as const, assertion };
    await expect(planner.answers.answer(forged)).rejects.toThrow(GateError);
    expect(planner.typesOf()).toHaveLength(2);
  });
});
