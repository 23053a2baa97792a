import type { JsonObject, Proposed, ToolSchema } from '@countersign/contracts';
import { unseal } from '@countersign/event-log';
import { digestOf } from '@countersign/kernel';
import { PLAN, READ, SESSION, START, WRITE, call, plannerInMemory, refusalOf, sealed } from '../test/planner-in-memory.js';

const proposedOf = (planner: ReturnType<typeof plannerInMemory>): Proposed => planner.planState().proposed!;

describe('proposing', () => {
  it('fixes calls, operations and providers as they are, and what was seen', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const accepted = await planner.proposals.propose(planner.proposal([call('c1', 'read_file'), call('c2')]));
    const events = planner.broker.all('GATE');
    expect(accepted).toEqual({ sequence: events.at(-1)!.sequence });
    expect(events.at(-1)!.meta).toEqual({ actor: 'agent:agent', correlationId: 'r1' });
    const { inputSchema, ...rest } = WRITE;
    expect(proposedOf(planner)).toMatchObject({
      requester: 'agent', turnId: 't1', profile: 'default', proposedAt: START.toISOString(), saw: { session: 1, catalogue: 2 },
      providers: { files: { version: 1, endpoint: { transport: 'fake' } } },
      operations: { 'files/write_file': { ...rest, provider: 'files', schemaDigest: digestOf(WRITE), inputSchema: sealed(inputSchema) } },
      items: [{ itemId: 'i1', callId: 'c1', operation: 'files/read_file' }, { itemId: 'i2', callId: 'c2', operation: 'files/write_file', input: sealed({ path: 'a.txt' }) }],
      verdictDueAt: new Date(START.getTime() + 60_000).toISOString(),
    });
  });

  it('keeps what was snapshotted when the provider changes, and sees the change at the next proposal', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    await planner.proposals.propose(planner.proposal());
    await planner.providers.register({ context: planner.context(), name: 'files', endpoint: { transport: 'fake' }, operations: [{ ...WRITE, risk: 'critical' }], at: planner.at() });
    const second = `${SESSION}-p${'c'.repeat(24)}`;
    await planner.proposals.propose(planner.proposal([call('c1')], { planId: second }));
    expect(planner.planState(PLAN).items.get('i1')?.operation.risk).toBe('high');
    expect(planner.planState(second).items.get('i1')?.operation.risk).toBe('critical');
    expect(planner.planState(second).proposed?.providers.files?.version).toBe(2);
  });

  it('sets the timer, also before a proposal that is refused', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    await refusalOf(planner.proposals.propose(planner.proposal([call('c1', 'none')])));
    expect(planner.timers.pending()).toEqual([`plan.acme.${PLAN}`]);
    await planner.timers.advanceBy(70_000);
    expect(planner.typesOf()).toEqual([]);
  });

  it('gives policy its time after the previews', async () => {
    const planner = plannerInMemory();
    await planner.ready([{ ...WRITE, previewable: true }]);
    await planner.proposals.propose(planner.proposal());
    expect(proposedOf(planner).verdictDueAt).toBe(new Date(START.getTime() + 66_000).toISOString());
  });

  it('says the same to the same request, whatever happened since', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const command = planner.proposal();
    const first = await planner.proposals.propose(command);
    await planner.judge('ask');
    await planner.providers.remove({ context: planner.context(), name: 'files', at: planner.at() });
    const again = await planner.proposals.propose(command);
    expect(again.repeated).toBe(true);
    expect(again.sequence).toBeGreaterThanOrEqual(first.sequence);
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Evaluated']);
    expect(await refusalOf(planner.proposals.propose({ ...command, requestDigest: 'other' }))).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
  });

  it('does not let a repetition postpone what the plan waits for', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const command = planner.proposal();
    await planner.proposals.propose(command);
    await planner.timers.advanceBy(40_000);
    await planner.proposals.propose(command);
    await planner.timers.advanceBy(20_000);
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Closed']);
  });

  it('does not let a refused reuse of its key postpone it either', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const command = planner.proposal();
    await planner.proposals.propose(command);
    await planner.timers.advanceBy(40_000);
    const reuse = { ...command, requestDigest: 'other' };
    expect(await refusalOf(planner.proposals.propose(reuse))).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    await planner.timers.advanceBy(10_000);
    expect(await refusalOf(planner.proposals.propose({ ...reuse, calls: [call('c1', 'none')] }))).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' });
    await planner.timers.advanceBy(10_000);
    expect(planner.typesOf()).toEqual(['plan.Proposed', 'plan.Closed']);
  });

  it('lets one of ten equal proposals win when they come at once, and the others repeat it', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const replies = await Promise.all(Array.from({ length: 10 }, () => planner.proposals.propose(planner.proposal())));
    expect(replies.filter((reply) => !reply.repeated)).toHaveLength(1);
    expect(planner.typesOf()).toEqual(['plan.Proposed']);
  });
});

describe('refusing a proposal', () => {
  const refused = async (...given: Parameters<ReturnType<typeof plannerInMemory>['proposal']>) => {
    const planner = plannerInMemory();
    await planner.ready();
    const refusal = await refusalOf(planner.proposals.propose(planner.proposal(...given)));
    expect(planner.typesOf()).toEqual([]);
    return refusal;
  };

  it.each([
    ['an empty plan', [], 'PLAN_EMPTY'],
    ['1,001 items', Array.from({ length: 1_001 }, (_, index) => call(`c${index}`)), 'PLAN_TOO_LARGE'],
    ['two calls of one id', [call('a'), call('a')], 'DUPLICATE_CALL_ID'],
    ['an unknown provider', [call('a', 'write_file', {}, 'other')], 'PROVIDER_UNKNOWN'],
    ['a provider whose name is no name', [call('a', 'write_file', {}, 'a.b')], 'PROVIDER_UNKNOWN'],
    ['an unknown operation', [call('a', 'delete_file')], 'OPERATION_UNKNOWN'],
  ])('refuses %s', async (_what, calls, code) => {
    expect(await refused(calls)).toMatchObject({ code });
  });

  it('names every call of an unknown operation', async () => {
    expect(await refused([call('a', 'x'), call('b'), call('c', 'y')])).toMatchObject({
      code: 'OPERATION_UNKNOWN', details: { calls: [{ callId: 'a', provider: 'files', operation: 'x' }, { callId: 'c', provider: 'files', operation: 'y' }] },
    });
  });

  it('names call and place of every input that does not fit', async () => {
    expect(await refused([call('a', 'write_file', {}), call('b'), call('c', 'write_file', { path: 1 }), call('d', 'write_file', { path: 'x', mode: 1 })])).toMatchObject({
      code: 'INPUT_INVALID',
      details: {
        count: 3,
        problems: [
          { callId: 'a', pointer: '', problem: "must have required property 'path'" },
          { callId: 'c', pointer: '/path', problem: 'must be string' },
          { callId: 'd', pointer: '', problem: 'must NOT have additional properties (mode)' },
        ],
      },
    });
  });

  it('names the call whose schema cannot be evaluated on its input', async () => {
    const circle = { ...WRITE, inputSchema: { type: 'object', properties: { path: { $ref: '#/$defs/a' } }, $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } } };
    const planner = plannerInMemory();
    await planner.ready([READ, circle]);
    expect(await refusalOf(planner.proposals.propose(planner.proposal([call('a', 'read_file'), call('b')])))).toMatchObject({
      code: 'INPUT_INVALID', message: expect.stringContaining('call b'), details: { count: 1, problems: [{ callId: 'b', pointer: '', problem: 'its schema cannot be evaluated' }] },
    });
  });

  it('refuses an input that is not what its digest says', async () => {
    expect(await refused([{ ...call('a'), input: { ...sealed({ path: 'shown' }), value: { path: 'meant' } } }])).toMatchObject({ code: 'INVALID_REQUEST' });
  });

  it('refuses a blob that is not there', async () => {
    expect(await refused([{ ...call('a'), input: { digest: 'f'.repeat(64), bytes: 20_000, store: 'BLOBS' } }])).toMatchObject({ code: 'BLOB_MISSING' });
  });

  it('refuses a plan that is not of its session, a session that is not there, and one that ended', async () => {
    expect(await refused([call('a')], { planId: `s${'9'.repeat(24)}-p${'b'.repeat(24)}` })).toMatchObject({ code: 'INVALID_REQUEST' });
    const elsewhere = `s${'9'.repeat(24)}`;
    expect(await refused([call('a')], { sessionId: elsewhere, planId: `${elsewhere}-p${'b'.repeat(24)}` })).toMatchObject({ code: 'NOT_FOUND' });
    const planner = plannerInMemory();
    await planner.ready();
    await planner.sessions.end({ context: planner.context(), sessionId: SESSION, reason: 'done', at: planner.at() });
    expect(await refusalOf(planner.proposals.propose(planner.proposal()))).toMatchObject({ code: 'SESSION_ENDED' });
  });

  it('does not see another tenant’s provider or session', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    expect(await refusalOf(planner.proposals.propose(planner.proposal([call('a')], { context: planner.context('agent', 'other') })))).toMatchObject({ code: 'NOT_FOUND' });
  });
});

describe('a proposal that is large', () => {
  const big: ToolSchema = { ...WRITE, name: 'big', inputSchema: { type: 'object', description: 'x'.repeat(40_000) } };

  it('moves bodies out, largest first, and they can be read again', async () => {
    const planner = plannerInMemory();
    await planner.ready([READ, big]);
    const inputs = Array.from({ length: 12 }, (_, index): JsonObject => ({ path: `${index}`, content: 'y'.repeat(14_000 + index) }));
    await planner.proposals.propose(planner.proposal(inputs.map((input, index) => call(`c${index}`, 'read_file', input)).concat(call('big', 'big'))));
    const { items, operations } = proposedOf(planner);
    expect(items.filter(({ input }) => input.value === undefined).map(({ callId }) => callId)).toEqual(['c8', 'c9', 'c10', 'c11']);
    expect(operations['files/big']?.inputSchema.value).toBeUndefined();
    for (const [index, { input }] of items.slice(0, 12).entries()) {
      expect(await unseal(input, { blobs: planner.blobs, tenant: 'acme' })).toEqual(inputs[index]);
    }
    expect(await unseal(operations['files/big']!.inputSchema, { blobs: planner.blobs, tenant: 'acme' })).toEqual(big.inputSchema);
  });

  it('takes 1,000 items, and refuses those whose names alone do not fit', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    await planner.proposals.propose(planner.proposal(Array.from({ length: 1_000 }, (_, index) => call(`c${index}`, 'write_file', { path: `${index}.txt` }))));
    expect(planner.planState().items.size).toBe(1_000);
    const long = Array.from({ length: 1_000 }, (_, index) => call(`${index}`.padStart(128, 'x')));
    expect(await refusalOf(planner.proposals.propose(planner.proposal(long, { planId: `${SESSION}-p${'d'.repeat(24)}` })))).toMatchObject({ code: 'PLAN_TOO_LARGE' });
  });
});
