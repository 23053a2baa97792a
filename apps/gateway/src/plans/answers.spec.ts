import { verify } from 'node:crypto';
import type { AnswerAssertion, AskTerms, ItemVerdict, Verdict } from '@countersign/contracts';
import type { CorrectedPlanView, DecidedPlanView, DecisionsView, EventListView, PlanItemView, PlanView, Problem, SessionView } from '@countersign/contracts/http';
import { GateError, canonicalJson } from '@countersign/kernel';
import { MemoryGate } from '../spec-support/memory-gate.js';

const OFFERED: AskTerms = { quorum: 1, onTimeout: 'deny', scopes: ['once', 'session', 'always'] };
const digestOf = (itemId: string, round = 1): string => `${itemId.slice(1)}${round}`.padEnd(64, 'a');

const verdict = (itemId: string, decision: Verdict = 'ask', terms: AskTerms = OFFERED, round = 1): ItemVerdict => ({
  itemId, decision, decidedBy: 'policy:writes', itemDigest: digestOf(itemId, round), layers: [{ layer: 'policy', says: decision, by: 'policy:writes' }],
  ...(decision === 'ask' ? { terms, expiresAt: '2999-01-01T00:00:00.000Z' } : {}),
});

describe('people’s answers over HTTP', () => {
  let gate: MemoryGate;
  let proposer: string;
  let approver: string;
  let security: string;
  let session: string;

  beforeAll(async () => {
    gate = await new MemoryGate().start();
    const admin = await gate.tenant('acme', { localProcesses: true });
    proposer = await gate.key(admin, 'bot', 'proposer');
    approver = await gate.key(admin, 'ops', 'approver');
    security = await gate.keyOf(admin, { principal: 'sec', roles: ['approver'], groups: ['security', 'blue-team'] });
    session = await gate.session(proposer);
  });
  afterEach(() => gate.planner.instead.clear());
  afterAll(() => gate.stop());

  const judge = (planId: string, items: readonly ItemVerdict[], round = 1) => gate.append('policy', 'acme', planId, {
    type: 'plan.Evaluated', data: { round, items, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: new Date().toISOString(), engine: 'spec' },
  });
  const asked = async (operations: readonly string[] = ['send'], terms: AskTerms = OFFERED): Promise<string> => {
    const items = operations.map((operation, index) => ({ callId: `c${index}`, provider: 'files', operation, input: { path: '/tmp/a', n: index } }));
    const { planId } = (await gate.ask<PlanView>('POST', `/v1/sessions/${session}/plans`, proposer, { body: { items } })).body;
    await judge(planId, items.map((_, index) => verdict(`i${index + 1}`, 'ask', terms)));
    return planId;
  };
  const decide = (planId: string, body: object, key = approver, itemId = 'i1') =>
    gate.ask<DecidedPlanView & Pick<Problem, 'code'>>('POST', `/v1/plans/${planId}/items/${itemId}/decision`, key, { body: { decision: 'approve', itemDigest: digestOf(itemId), ...body } });
  const correct = (planId: string, body: object, key = approver) =>
    gate.ask<CorrectedPlanView & Pick<Problem, 'code'>>('POST', `/v1/plans/${planId}/items/i1/correction`, key, { body: { itemDigest: digestOf('i1'), ...body } });
  const show = async (planId: string, key = approver) => (await gate.ask<PlanView>('GET', `/v1/plans/${planId}`, key)).body;
  const lastEvent = async (planId: string) => (await gate.ask<EventListView>('GET', `/v1/plans/${planId}/events`, approver)).body.events.at(-1)!;
  const signed = ({ claims, signature }: AnswerAssertion): boolean => verify(null, Buffer.from(canonicalJson(claims)), gate.publicKey, Buffer.from(signature, 'base64url'));

  describe('how far they reach', () => {
    it.each([undefined, 'once'])('is the item and nothing more: %s', async (scope) => {
      const planId = await asked(['send', 'send']);
      const { status, body } = await decide(planId, scope ? { scope } : {});
      expect([status, body.alsoAsked, body.items.map((item) => item.decision)]).toEqual([200, undefined, ['allow', 'ask']]);
      expect((await lastEvent(planId)).data).toMatchObject({ answers: [{ itemId: 'i1', decision: 'approve', scope: 'once' }] });
    });

    it('is the session: the grant is told, stands in the session, and the other asks of the operation are offered as a batch', async () => {
      const planId = await asked(['send', 'write_file', 'send']);
      const narrow = { kind: 'path_prefix', field: '/path', prefix: '/tmp' };
      const { status, body } = await decide(planId, { scope: 'session', narrow, reason: 'fine here' });
      expect([status, body.items.map((item) => item.decision), body.alsoAsked]).toEqual([200, ['allow', 'ask', 'ask'], [{ planId, itemId: 'i3', itemDigest: digestOf('i3') }]]);
      expect(body.items[0]!.answer).toMatchObject({ scope: 'session', grant: { grantId: body.grantId, narrow } });
      const opened = (await gate.ask<SessionView>('GET', `/v1/sessions/${session}`, proposer)).body;
      expect(opened.grants).toContainEqual(expect.objectContaining({
        grantId: body.grantId, operation: 'send', decision: 'allow', by: 'ops', reason: 'fine here', covers: 'every send of provider files whose /path is in /tmp, in this session',
      }));
      const batch = await gate.ask<DecisionsView>('POST', `/v1/plans/${planId}/decisions`, approver, { body: { decisions: body.alsoAsked!.map(({ itemId, itemDigest }) => ({ itemId, itemDigest, decision: 'approve' })) } });
      expect(batch.body.results).toMatchObject([{ itemId: 'i3', ok: true }]);
    });

    it('is signed: roles and groups of the key, scope, narrow and expiry', async () => {
      const planId = await asked(['send'], { ...OFFERED, roles: ['security'] });
      expect((await decide(planId, {})).body.code).toBe('FORBIDDEN');
      const before = Date.now();
      const { status, body } = await decide(planId, { scope: 'always', narrow: { kind: 'exact_input', inputDigest: 'b'.repeat(64) }, grantExpiresAt: '7d' }, security);
      expect([status, body.items[0]!.answer?.roles]).toEqual([200, ['approver', 'blue-team', 'security']]);
      const { assertion, grant } = ((await lastEvent(planId)).data as { answers: { assertion: AnswerAssertion; grant: { expiresAt: string } }[] }).answers[0]!;
      expect(assertion.claims).toEqual({
        tenant: 'acme', plan: planId, itemId: 'i1', itemDigest: digestOf('i1'), decision: 'approve', principal: 'sec', method: 'api-key', at: expect.any(String),
        roles: ['approver', 'blue-team', 'security'], scope: 'always', narrow: { kind: 'exact_input', inputDigest: 'b'.repeat(64) }, grantExpiresAt: grant.expiresAt,
      });
      expect(signed(assertion)).toBe(true);
      expect(Date.parse(grant.expiresAt) - before).toBeGreaterThanOrEqual(7 * 24 * 3_600_000);
      expect(gate.planner.sent.at(-1)).toMatchObject({ name: 'planner.answer', payload: { roles: assertion.claims.roles, scope: 'always', grantExpiresAt: grant.expiresAt } });
    });

    it.each<[string, object]>([
      ['a scope that is none', { scope: 'SESSION' }],
      ['narrow with once', { narrow: { kind: 'host', field: '/url', host: 'a.example' } }],
      ['an expiry of a session’s grant', { scope: 'session', grantExpiresAt: '7d' }],
      ['an expiry that is over', { scope: 'always', grantExpiresAt: '2020-01-01T00:00:00Z' }],
      ['an expiry that is no day', { scope: 'always', grantExpiresAt: '2026-13-01T00:00:00Z' }],
      ['an expiry beyond what a time can say', { scope: 'always', grantExpiresAt: '9999-12-31T23:59:59Z' }],
      ['a narrow of an unknown kind', { scope: 'session', narrow: { kind: 'regex', field: '/a' } }],
      ['a narrow without its value', { scope: 'session', narrow: { kind: 'path_prefix', field: '/path' } }],
      ['a narrow with another’s value', { scope: 'session', narrow: { kind: 'host', field: '/url', host: 'a.example', prefix: '/' } }],
      ['a narrow whose pointer is none', { scope: 'session', narrow: { kind: 'host', field: 'url', host: 'a.example' } }],
      ['a narrow that is a list', { scope: 'session', narrow: [] }],
    ])('refuses %s, and answers nothing', async (_what, body) => {
      const planId = await asked();
      const refused = await decide(planId, body);
      expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_REQUEST']);
      expect((await show(planId)).items[0]).toMatchObject({ decision: 'ask' });
    });

    it.each(['GRANT_INEFFECTIVE', 'STANDING_RULE_CONFLICT', 'POLICY_STORE_READ_ONLY', 'NARROW_INVALID', 'RESERVATION_LAPSED'] as const)('passes %s on with its own status', async (code) => {
      const planId = await asked();
      gate.planner.instead.set('planner.answer', async () => { throw new GateError(code); });
      expect((await decide(planId, { scope: 'always' })).body.code).toBe(code);
    });

    it('refuses a scope that the ask does not offer, and a wide grant where it must be narrow', async () => {
      expect((await decide(await asked(['send'], { ...OFFERED, scopes: ['once'] }), { scope: 'session' })).body.code).toBe('SCOPE_NOT_OFFERED');
      expect((await decide(await asked(['send'], { ...OFFERED, narrowOnly: true }), { scope: 'session' })).body.code).toBe('NARROW_REQUIRED');
    });
  });

  describe('what is shown before', () => {
    it('says in words what each way to answer covers, the narrow ones first, and whether this key may', async () => {
      const planId = await asked();
      const [item] = (await show(planId)).items;
      expect(item).toMatchObject({ terms: OFFERED, layers: [{ layer: 'policy', says: 'ask' }], mayAnswer: true });
      expect(item!.offers![0]).toEqual({ scope: 'once', covers: 'this one call of send of provider files' });
      const wider = item!.offers!.slice(1);
      expect(wider.map(({ scope }) => scope)).toEqual([...wider.filter(({ scope }) => scope === 'session'), ...wider.filter(({ scope }) => scope === 'always')].map(({ scope }) => scope));
      expect(wider).toContainEqual({ scope: 'session', covers: 'every send of provider files in this session' });
      expect(wider.find(({ scope }) => scope === 'session')!.narrow).toBeDefined();
      expect((await gate.ask<PlanItemView>('GET', `/v1/plans/${planId}/items/i1`, proposer)).body).toMatchObject({ mayAnswer: false, mayNotAnswerBecause: 'The key has not the role approver' });
    });

    it('is the same for everybody at a position of the past, whoever looks', async () => {
      const planId = await asked();
      const { sequence } = await show(planId);
      const texts = await Promise.all([proposer, approver, security].map(async (key) => (await gate.ask('GET', `/v1/plans/${planId}?at=${sequence}`, key)).text));
      expect(new Set(texts).size).toBe(1);
      expect(texts[0]).not.toContain('mayAnswer');
      expect(texts[0]).toContain('"terms"');
    });

    it('names who else is wanted: roles, another person, another vote', async () => {
      const forSecurity = await asked(['send'], { ...OFFERED, roles: ['security'] });
      expect((await show(forSecurity)).items[0]).toMatchObject({ mayAnswer: false, mayNotAnswerBecause: expect.stringContaining('security') });
      expect((await show(forSecurity, security)).items[0]).toMatchObject({ mayAnswer: true });
      const two = await asked(['send'], { ...OFFERED, quorum: 2 });
      const first = await decide(two, { reason: 'one' });
      expect(first.body).toMatchObject({ pending: { approvals: 1, quorum: 2 }, items: [{ decision: 'ask', votes: [{ principal: 'ops', reason: 'one' }], mayAnswer: false }] });
      expect((await decide(two, {}, security)).body.items[0]).toMatchObject({ decision: 'allow', decidedBy: 'person:sec' });
    });

    it('a batch tells of votes that are still wanted', async () => {
      const two = await asked(['send', 'send'], { ...OFFERED, quorum: 2 });
      const decisions = ['i1', 'i2'].map((itemId) => ({ itemId, decision: 'approve', itemDigest: digestOf(itemId) }));
      const { body } = await gate.ask<DecisionsView>('POST', `/v1/plans/${two}/decisions`, approver, { body: { decisions } });
      expect(body.results).toMatchObject([{ ok: true, pending: { approvals: 1, quorum: 2 } }, { ok: true, pending: { approvals: 1, quorum: 2 } }]);
    });
  });

  describe('corrections', () => {
    const judgeWhenCorrected = (planId: string, next: ItemVerdict): void => {
      gate.planner.instead.set('planner.correct', async (payload, context) => {
        gate.planner.instead.delete('planner.correct');
        const reply = await gate.planner.call('planner.correct', payload as never, context);
        setImmediate(() => { void judge(planId, [next], 2); });
        return reply;
      });
    };

    it('are the approval too where nothing is previewed, in the same call, for the new digest', async () => {
      const planId = await asked();
      judgeWhenCorrected(planId, verdict('i1', 'ask', { ...OFFERED, confirmation: true }, 2));
      const { status, body } = await correct(planId, { input: { path: '/tmp/b' }, reason: 'the right one' });
      expect([status, body.confirmed]).toEqual([200, true]);
      expect(body.items[0]).toMatchObject({
        decision: 'allow', decidedBy: 'person:ops', input: { path: '/tmp/b' }, original: { input: { path: '/tmp/a', n: 0 } },
        corrections: [{ correction: 1, principal: 'ops', reason: 'the right one', input: { path: '/tmp/b' } }],
      });
      const [correction, , answer] = (await gate.ask<EventListView>('GET', `/v1/plans/${planId}/events`, approver)).body.events.slice(-3);
      const { assertion } = correction!.data as { assertion: AnswerAssertion };
      expect(assertion.claims).toMatchObject({ decision: 'correct', itemDigest: digestOf('i1'), inputDigest: body.items[0]!.inputDigest, roles: ['approver'], reason: 'the right one' });
      expect(signed(assertion)).toBe(true);
      expect(answer!.data).toMatchObject({ answers: [{ assertion: { claims: { itemDigest: digestOf('i1', 2), decision: 'approve', scope: 'once' } } }] });
    });

    it.each<[string, readonly string[], ItemVerdict, object, string]>([
      ['wants to see it first', ['send'], verdict('i1', 'ask', OFFERED, 2), { confirm: false }, 'ask'],
      ['is for others to approve', ['send'], verdict('i1', 'ask', { ...OFFERED, roles: ['security'] }, 2), {}, 'ask'],
      ['is for a second person, since this one wrote it', ['send'], verdict('i1', 'ask', { ...OFFERED, notRequester: true }, 2), {}, 'ask'],
      ['wants a reason that is not given', ['send'], verdict('i1', 'ask', { ...OFFERED, requireReason: true }, 2), {}, 'ask'],
      ['is denied now', ['send'], verdict('i1', 'deny', OFFERED, 2), {}, 'deny'],
      ['has a preview to look at', ['write_file'], verdict('i1', 'ask', OFFERED, 2), {}, 'ask'],
    ])('only show the new digest when the item %s', async (_what, operations, next, body, decision) => {
      const planId = await asked(operations);
      judgeWhenCorrected(planId, next);
      const corrected = await correct(planId, { input: { path: '/tmp/b' }, ...body });
      expect(corrected.body).toMatchObject({ confirmed: false, notConfirmedBecause: expect.any(String), items: [{ decision, itemDigest: digestOf('i1', 2), input: { path: '/tmp/b' } }] });
    });

    it('tell when the confirmation was refused, and stand all the same', async () => {
      const planId = await asked();
      judgeWhenCorrected(planId, verdict('i1', 'ask', OFFERED, 2));
      gate.planner.instead.set('planner.answer', async () => { throw new GateError('APPROVAL_EXPIRED'); });
      const { status, body } = await correct(planId, { input: { path: '/tmp/b' } });
      expect([status, body.confirmed, body.items[0]!.inputDigest]).toEqual([200, false, expect.not.stringMatching(digestOf('i1'))]);
    });

    it('of one MiB lie beside the event, and are shown whole', async () => {
      const planId = await asked();
      judgeWhenCorrected(planId, verdict('i1', 'ask', OFFERED, 2));
      const content = 'x'.repeat(1024 * 1024);
      const { status, body } = await correct(planId, { input: { content } });
      expect([status, body.items[0]!.input]).toEqual([200, { content }]);
      expect((await gate.ask('GET', `/v1/plans/${planId}/events`, approver)).text).not.toContain('xxxxxxxx');
    });

    it('of nine MiB are refused, and the item waits on', async () => {
      const planId = await asked();
      expect(await correct(planId, { input: { content: 'x'.repeat(9 * 1024 * 1024) } }).then(({ status, body }) => [status, body.code])).toEqual([413, 'BODY_TOO_LARGE']);
      expect((await show(planId)).items[0]).toMatchObject({ decision: 'ask', itemDigest: digestOf('i1') });
    });

    it.each(['CORRECTED_INPUT_INVALID', 'TOO_MANY_CORRECTIONS', 'ITEM_CHANGED'] as const)('pass %s on', async (code) => {
      const planId = await asked();
      gate.planner.instead.set('planner.correct', async () => { throw new GateError(code); });
      expect((await correct(planId, { input: {} })).body.code).toBe(code);
    });

    it.each<[string, object]>([['no input', {}], ['an input that is a list', { input: [] }], ['a digest that is none', { input: {}, itemDigest: 'latest' }], ['more', { input: {}, decision: 'approve' }]])('with %s are refused', async (_what, body) => {
      expect((await correct(await asked(), body)).body.code).toBe('INVALID_REQUEST');
    });
  });

  describe('answers and corrections of what does not wait', () => {
    const settled: [string, (planId: string) => Promise<unknown>, string][] = [
      ['is decided', (planId) => decide(planId, {}, security), 'ALREADY_RESOLVED'],
      ['is cancelled', (planId) => gate.ask('POST', `/v1/plans/${planId}/cancel`, proposer), 'ALREADY_RESOLVED'],
      ['has expired', (planId) => gate.append('planner', 'acme', planId, { type: 'plan.ItemsExpired', data: { items: ['i1'], at: new Date().toISOString() } }), 'APPROVAL_EXPIRED'],
      ['has changed', async (planId) => { await gate.planner.call('planner.correct', { planId, itemId: 'i1', itemDigest: digestOf('i1'), input: { digest: 'd', bytes: 2, value: {} }, roles: ['approver'], at: new Date().toISOString(), assertion: {} as never }, { tenant: 'acme', principal: 'sec', correlationId: 'c' }); }, 'ITEM_CHANGED'],
    ];
    it.each(settled)('tell so when the item %s', async (_what, before, code) => {
      const planId = await asked();
      await before(planId);
      expect((await decide(planId, { decision: 'reject' })).body.code).toBe(code);
      expect((await correct(planId, { input: { other: 1 } })).body.code).toBe(code);
    });

    it.each(['i9', 'x', 'i0', '..', '%2a'])('tell so when there is no item %s', async (itemId) => {
      const planId = await asked();
      for (const [what, body] of [['decision', { decision: 'approve' }], ['correction', { input: {} }]] as const) {
        const { status, body: problem } = await gate.ask('POST', `/v1/plans/${planId}/items/${itemId}/${what}`, approver, { body: { itemDigest: digestOf('i1'), ...body } });
        expect([status, problem.code]).toEqual([404, 'NOT_FOUND']);
      }
    });
  });
});
