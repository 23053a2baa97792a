import { verify } from 'node:crypto';
import type { AnswerAssertion, ItemVerdict, PlanEvent, Verdict } from '@countersign/contracts';
import type { DeadLetterListView, DeadLetterView, DecisionsView, EventListView, IssuedKeyView, KeyListView, PlanItemView, PlanView, Problem, ProviderListView, ProviderView, RetriedView, SessionView, ToolListView, WhyView } from '@countersign/contracts/http';
import { GateError, canonicalJson } from '@countersign/kernel';
import { MemoryGate, OPERATOR_KEY } from './spec-support/memory-gate.js';

const call = (callId: string, operation = 'write_file', input: object = { path: 'a.txt' }) => ({ callId, provider: 'files', operation, input });
const verdict = (itemId: string, decision: Verdict): ItemVerdict => ({
  itemId, decision, decidedBy: 'policy:default', itemDigest: itemId.padEnd(64, '0').replace(/[^0-9a-f]/g, 'a'), ...(decision === 'ask' ? { expiresAt: '2999-01-01T00:00:00.000Z' } : {}),
});
const evaluated = (...items: ItemVerdict[]): PlanEvent => ({
  type: 'plan.Evaluated',
  data: { round: 1, items, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: new Date().toISOString(), engine: 'spec' },
});

describe('the edge over HTTP', () => {
  let gate: MemoryGate;
  let admin: string;
  let proposer: string;
  let approver: string;
  let session: string;

  beforeAll(async () => {
    gate = await new MemoryGate().start();
    admin = await gate.tenant('acme', { localProcesses: true });
    proposer = await gate.key(admin, 'bot', 'proposer');
    approver = await gate.key(admin, 'ops', 'approver');
    session = await gate.session(proposer);
  });
  afterAll(() => gate.stop());

  const propose = (items: object[], query = '', key = proposer, headers: Record<string, string> = {}) =>
    gate.ask<PlanView & Pick<Problem, 'code'>>('POST', `/v1/sessions/${session}/plans${query}`, key, { body: { items }, headers });

  describe('one plan', () => {
    it('goes from proposal over a verdict and an answer to its end, and every step can be shown again', async () => {
      const proposed = await propose([call('c1', 'read_file'), call('c2')]);
      expect(proposed.status).toBe(201);
      const { planId, sequence: atProposal } = proposed.body;
      expect(proposed.body).toMatchObject({ sessionId: session, requester: 'bot', status: 'open', items: [{ itemId: 'i1', decision: 'pending', input: { path: 'a.txt' } }, { itemId: 'i2', kind: 'resource', risk: 'high' }] });

      await gate.append('policy', 'acme', planId, evaluated(verdict('i1', 'allow'), verdict('i2', 'ask')));
      const asked = await gate.ask<PlanView>('GET', `/v1/plans/${planId}`, approver);
      expect(asked.body.items.map((item) => item.decision)).toEqual(['allow', 'ask']);
      const why = await gate.ask<WhyView>('GET', `/v1/plans/${planId}/why`, approver);
      expect(why.body.waits.map(({ itemIds, waitsFor }) => [itemIds, waitsFor])).toEqual([[['i1'], 'executor'], [['i2'], 'person']]);

      const decided = await gate.ask<PlanView>('POST', `/v1/plans/${planId}/items/i2/decision`, approver, {
        body: { decision: 'reject', itemDigest: asked.body.items[1]!.itemDigest, reason: 'not today' },
      });
      expect(decided.status).toBe(200);
      expect(decided.body.items[1]).toMatchObject({ decision: 'deny', decidedBy: 'person:ops', outcome: 'denied', answer: { decision: 'reject', principal: 'ops' }, toolResult: { isError: true, category: 'permission_denied' } });
      expect(decided.body.items[1]!.toolResult!.text).toContain('not today');

      await gate.append('executor', 'acme', planId, { type: 'plan.Outcomes', data: { outcomes: [{ itemId: 'i1', attempt: 1, outcome: 'applied', result: { digest: 'd'.repeat(64), bytes: 7, value: 'content' }, startedAt: 's', endedAt: 'e' }] } });
      const settled = await gate.ask<PlanView>('GET', `/v1/plans/${planId}`, proposer);
      expect(settled.body).toMatchObject({ status: 'settled', items: [{ outcome: 'applied', result: 'content', toolResult: { isError: false, text: 'content' } }, {}] });

      const events = await gate.ask<EventListView>('GET', `/v1/plans/${planId}/events`, proposer);
      expect(events.body.events.map((event) => event.type)).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.ItemsAnswered', 'plan.Outcomes']);
      const past = await gate.ask<PlanView>('GET', `/v1/plans/${planId}?at=${atProposal}`, proposer);
      expect(past.body.items.map((item) => item.decision)).toEqual(['pending', 'pending']);
      expect((await gate.ask('GET', `/v1/plans/${planId}?at=${atProposal}`, proposer)).text).toBe(past.text);
    });

    it('signs an answer over exactly what was answered', async () => {
      const { planId } = (await propose([call('c1')])).body;
      await gate.append('policy', 'acme', planId, evaluated(verdict('i1', 'ask')));
      await gate.ask('POST', `/v1/plans/${planId}/items/i1/decision`, approver, { body: { decision: 'approve', itemDigest: verdict('i1', 'ask').itemDigest } });
      const events = await gate.ask<EventListView>('GET', `/v1/plans/${planId}/events`, approver);
      const { assertion } = (events.body.events.at(-1)!.data as { answers: { assertion: AnswerAssertion }[] }).answers[0]!;
      expect(assertion.claims).toMatchObject({ tenant: 'acme', plan: planId, itemId: 'i1', decision: 'approve', principal: 'ops', method: 'api-key' });
      expect(verify(null, Buffer.from(canonicalJson(assertion.claims)), gate.publicKey, Buffer.from(assertion.signature, 'base64url'))).toBe(true);
    });

    it('gives every decision of a batch a result of its own', async () => {
      const { planId } = (await propose([call('c1'), call('c2')])).body;
      await gate.append('policy', 'acme', planId, evaluated(verdict('i1', 'ask'), verdict('i2', 'allow')));
      const batch = await gate.ask<DecisionsView>('POST', `/v1/plans/${planId}/decisions`, approver, {
        body: { decisions: ['i1', 'i2', 'i9'].map((itemId) => ({ itemId, decision: 'approve', itemDigest: verdict(itemId, 'ask').itemDigest })) },
      });
      expect(batch.body.results.map(({ itemId, ok, problem }) => [itemId, ok, problem?.code])).toEqual([['i1', true, undefined], ['i2', false, 'NOT_ASKED'], ['i9', false, 'NOT_FOUND']]);
    });

    it('is cancelled into denials', async () => {
      const { planId } = (await propose([call('c1')])).body;
      const cancelled = await gate.ask<PlanView>('POST', `/v1/plans/${planId}/cancel`, proposer);
      expect(cancelled.body).toMatchObject({ status: 'settled', closed: { reason: 'cancelled' }, items: [{ decision: 'deny', outcome: 'denied' }] });
    });

    it('keeps a large input out of the event and shows it whole', async () => {
      const content = 'x'.repeat(200_000);
      const { body } = await propose([call('c1', 'write_file', { path: 'a', content })]);
      expect(body.items[0]!.input).toEqual({ path: 'a', content });
      const events = await gate.ask('GET', `/v1/plans/${body.planId}/events`, proposer);
      expect(events.text).not.toContain('xxxxxxxx');
      const item = await gate.ask<PlanItemView>('GET', `/v1/plans/${body.planId}/items/i1`, approver);
      expect(item.body.input).toEqual({ path: 'a', content });
    });
  });

  describe('waiting', () => {
    it('holds the answer to a proposal until the verdict is there', async () => {
      let planId = '';
      gate.planner.instead.set('planner.propose', async (payload, context) => {
        gate.planner.instead.delete('planner.propose');
        const reply = await gate.planner.call('planner.propose', payload as never, context);
        planId = (payload as { planId: string }).planId;
        setTimeout(() => { void gate.append('policy', 'acme', planId, evaluated(verdict('i1', 'ask'))); }, 50);
        return reply;
      });
      const began = performance.now();
      const { body } = await propose([call('c1')], '?wait=10&until=verdict');
      expect(body.items[0]!.decision).toBe('ask');
      expect(performance.now() - began).toBeLessThan(5_000);
    });

    it('answers with the plan as it is when the time is over', async () => {
      const { status, body } = await propose([call('c1')], '?wait=0.1');
      expect([status, body.items[0]!.decision]).toEqual([201, 'pending']);
    });

    it('reads the log again when the feed has lost something', async () => {
      const { planId } = (await propose([call('c1')])).body;
      const waiting = gate.ask<PlanView>('GET', `/v1/plans/${planId}?wait=10`, proposer);
      await new Promise((resolve) => setTimeout(resolve, 30));
      gate.feed.losing = true;
      await gate.append('policy', 'acme', planId, evaluated(verdict('i1', 'allow')));
      await new Promise((resolve) => setTimeout(resolve, 10));
      gate.feed.losing = false;
      gate.feed.missed();
      expect((await waiting).body.items[0]!.decision).toBe('allow');
    });
  });

  describe('idempotency', () => {
    it('gives the same plan for the same key and body, and refuses another body', async () => {
      const key = { 'idempotency-key': 'turn-7' };
      const first = await propose([call('c1')], '', proposer, key);
      const again = await propose([call('c1')], '', proposer, key);
      expect(again.body.planId).toBe(first.body.planId);
      expect(again.body.sequence).toBe(first.body.sequence);
      const other = await propose([call('c2')], '', proposer, key);
      expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    });

    it('never issues two keys for one Idempotency-Key', async () => {
      const ask = (role = 'auditor') => gate.ask<IssuedKeyView & Problem>('POST', '/v1/keys', admin, { body: { principal: 'once', roles: [role] }, headers: { 'idempotency-key': 'k' } });
      const { status: first, body: { keyId } } = await ask();
      expect(first).toBe(201);
      const { status, body } = await ask();
      expect([status, body.code, body.details]).toEqual([409, 'KEY_ALREADY_ISSUED', { keyId }]);
      expect(body.detail).toMatch(/revoke the key and issue another/);
      expect((await ask('approver')).body.code).toBe('IDEMPOTENCY_KEY_REUSED');
      const keys = await gate.ask<KeyListView>('GET', '/v1/keys', admin);
      expect(keys.body.keys.filter((key) => key.principal === 'once')).toHaveLength(1);
      expect(keys.text).not.toContain('secretHash');
    });

    it('takes two principals with the same key apart', async () => {
      const other = await gate.key(admin, 'bot-2', 'proposer');
      const open = (key: string) => gate.ask<SessionView>('POST', '/v1/sessions', key, { body: { agent: 'a' }, headers: { 'idempotency-key': 'same' } });
      expect((await open(proposer)).body.sessionId).not.toBe((await open(other)).body.sessionId);
    });
  });

  describe('bad input', () => {
    const refused = async (answer: Promise<{ status: number; body: Problem; headers: Readonly<Record<string, unknown>> }>): Promise<[number, string]> => {
      const { status, body, headers } = await answer;
      expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
      expect(body).toMatchObject({ status, type: `urn:countersign:error:${body.code}`, correlationId: headers['x-correlation-id'] });
      return [status, body.code];
    };
    const post = (raw: string | Buffer, headers: Record<string, string> = {}) => refused(gate.ask('POST', `/v1/sessions/${session}/plans`, proposer, { raw, headers }));

    it.each([
      ['no JSON', '{"items": [', 400, 'MALFORMED_JSON'],
      ['no UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'MALFORMED_JSON'],
      ['no object', '[]', 400, 'INVALID_REQUEST'],
      ['a body of brackets', '['.repeat(100_000), 400, 'INVALID_REQUEST'],
      ['a body of commas', ','.repeat(8 * 1024 * 1024), 400, 'INVALID_REQUEST'],
      ['more values than a body may hold', `[${'{},'.repeat(400_000)}{}]`, 400, 'INVALID_REQUEST'],
      ['349,000 items of nothing', `{"items":[${'{},'.repeat(348_999)}{}]}`, 422, 'PLAN_TOO_LARGE'],
      ['a member __proto__', '{"items":[{"callId":"c","provider":"files","operation":"write_file","input":{"__proto__":{"a":1}}}]}', 400, 'INVALID_REQUEST'],
      ['a member constructor where a shape is expected', '{"items":[],"constructor":{}}', 400, 'INVALID_REQUEST'],
      ['a number beyond JSON', '{"items":[{"callId":"c","provider":"files","operation":"write_file","input":{"n":1e999}}]}', 400, 'INVALID_REQUEST'],
      ['half a surrogate pair', '{"items":[{"callId":"c","provider":"files","operation":"write_file","input":{"s":"\\ud800"}}]}', 400, 'INVALID_REQUEST'],
      ['an unknown member', '{"items":[],"extra":1}', 400, 'INVALID_REQUEST'],
      ['an input that is no object', '{"items":[{"callId":"c","provider":"files","operation":"write_file","input":[1]}]}', 400, 'INVALID_REQUEST'],
      ['an empty plan', '{"items":[]}', 422, 'PLAN_EMPTY'],
      ['an unknown operation', JSON.stringify({ items: [call('c1', 'format_disk')] }), 422, 'OPERATION_UNKNOWN'],
      ['1,001 items', JSON.stringify({ items: Array.from({ length: 1_001 }, (_, index) => call(`c${index}`)) }), 422, 'PLAN_TOO_LARGE'],
      ['two items with one call id', JSON.stringify({ items: [call('same'), call('same')] }), 422, 'DUPLICATE_CALL_ID'],
      ['a body above the limit', Buffer.alloc(8 * 1024 * 1024 + 1, 0x20), 413, 'BODY_TOO_LARGE'],
    ])('refuses %s', async (_what, raw, status, code) => {
      expect(await post(raw)).toEqual([status, code]);
    });

    it('takes an input with a member named constructor as it is', async () => {
      const { body } = await propose([call('c1', 'write_file', { constructor: { name: 'x' }, toString: 1 })]);
      expect(Object.entries(body.items[0]!.input!)).toEqual([['constructor', { name: 'x' }], ['toString', 1]]);
    });

    it('takes a body of one MiB', async () => {
      expect((await propose([call('c1', 'write_file', { content: 'y'.repeat(1024 * 1024) })])).status).toBe(201);
    });

    it('names the fields that do not fit', async () => {
      const { body } = await gate.ask('POST', `/v1/sessions/${session}/plans`, proposer, { body: { items: [{ callId: '', provider: 'files', operation: 'x', input: {} }] } });
      expect(body.details).toEqual({ fields: [{ path: '/items/0/callId', message: 'must have 1 to 128 characters' }] });
    });

    it.each([
      ['another content type', 'POST', () => `/v1/sessions/${session}/plans`, { raw: 'a=1', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['another charset', 'POST', () => `/v1/sessions/${session}/plans`, { raw: '{"items":[]}', headers: { 'content-type': 'application/json; charset=latin1' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['another charset of YAML', 'POST', () => '/v1/sessions', { raw: 'a: 1', headers: { 'content-type': 'application/yaml;charset="utf-16"' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['two charsets', 'POST', () => `/v1/sessions/${session}/plans`, { raw: '{"items":[]}', headers: { 'content-type': 'application/json; charset=utf-8; charset=utf-7' } }, 415, 'UNSUPPORTED_MEDIA_TYPE'],
      ['UTF-8 by name', 'POST', () => `/v1/sessions/${session}/plans`, { raw: '{"items":[]}', headers: { 'content-type': 'application/json; Charset="UTF-8"' } }, 422, 'PLAN_EMPTY'],
      ['an unknown path', 'GET', () => '/v1/nothing', {}, 404, 'NOT_FOUND'],
      ['another method', 'PATCH', () => '/v1/sessions', {}, 405, 'METHOD_NOT_ALLOWED'],
      ['a path that cannot be decoded', 'GET', () => '/v1/plans/%zz', {}, 400, 'INVALID_REQUEST'],
      ['an id that is none', 'GET', () => '/v1/plans/..%2f..', {}, 404, 'NOT_FOUND'],
      ['a subject wildcard for an id', 'GET', () => '/v1/plans/%3E', {}, 404, 'NOT_FOUND'],
      ['a plan that is not there', 'GET', () => '/v1/plans/s000000000000-p000000000000', {}, 404, 'NOT_FOUND'],
      ['a wait that is no number', 'GET', () => '/v1/plans/s000000000000-p000000000000?wait=soon', {}, 400, 'INVALID_REQUEST'],
      ['a wait given twice', 'GET', () => '/v1/plans/s000000000000-p000000000000?wait=1&wait=2', {}, 400, 'INVALID_REQUEST'],
      ['a wait of 61 seconds', 'GET', () => '/v1/plans/s000000000000-p000000000000?wait=61', {}, 400, 'INVALID_REQUEST'],
      ['a NUL in an agent’s name', 'POST', () => '/v1/sessions', { body: { agent: 'a\0b' } }, 400, 'INVALID_REQUEST'],
      ['an Idempotency-Key that is too long', 'POST', () => '/v1/sessions', { body: { agent: 'a' }, headers: { 'idempotency-key': 'x'.repeat(129) } }, 400, 'INVALID_REQUEST'],
      ['a cursor that is none', 'GET', () => `/v1/sessions/${session}/events?cursor=zzz`, {}, 400, 'CURSOR_INVALID'],
    ])('answers %s with a problem', async (_what, method, url, asking, status, code) => {
      expect(await refused(gate.ask(method, url(), proposer, asking))).toEqual([status, code]);
    });

    it('says which methods a path takes', async () => {
      expect((await gate.ask('PATCH', '/v1/keys', admin)).headers['allow']).toBe('GET, POST');
    });

    it('refuses a position that is still to come', async () => {
      const { planId } = (await propose([call('c1')])).body;
      expect(await refused(gate.ask('GET', `/v1/plans/${planId}?at=999999`, proposer))).toEqual([400, 'INVALID_REQUEST']);
    });

    it('tells nothing of a fault of ours but its id', async () => {
      gate.planner.instead.set('planner.open-session', async () => { throw new TypeError('password=hunter2 at /srv/secret.ts:3'); });
      const answer = await gate.ask('POST', '/v1/sessions', proposer, { body: { agent: 'a' }, headers: { 'x-correlation-id': 'my-request-1' } });
      gate.planner.instead.delete('planner.open-session');
      expect([answer.status, answer.body.code, answer.body.correlationId]).toEqual([500, 'INTERNAL', 'my-request-1']);
      expect(answer.text).not.toMatch(/hunter2|secret|stack/);
      expect(gate.logged.some((line) => line.includes('my-request-1') && line.includes('hunter2'))).toBe(true);
    });

    it('says when to try again when a part does not answer', async () => {
      gate.planner.instead.set('planner.open-session', async () => { throw new GateError('UNAVAILABLE', 'connect 10.0.0.3:4222'); });
      const answer = await gate.ask('POST', '/v1/sessions', proposer, { body: { agent: 'a' } });
      gate.planner.instead.delete('planner.open-session');
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '2']);
      expect(answer.text).not.toContain('10.0.0.3');
    });
  });

  describe('keys', () => {
    it.each([
      ['none', undefined],
      ['something else', 'letmein'],
      ['a key of an unknown tenant', `csk_nobody_k1_${'a'.repeat(43)}`],
      ['a key with a wrong secret', 'wrong'],
    ])('refuses %s without saying why', async (what, key) => {
      const { status, body, headers } = await gate.ask('GET', '/v1/providers', what === 'a key with a wrong secret' ? `${proposer.slice(0, -4)}AAAA` : key);
      expect([status, body.code, body.detail, headers['www-authenticate']]).toEqual([401, 'UNAUTHENTICATED', 'No valid API key was given', 'Bearer']);
    });

    it('works until it is revoked, and not once after', async () => {
      const { keyId, key } = (await gate.ask<IssuedKeyView>('POST', '/v1/keys', admin, { body: { principal: 'gone', roles: ['auditor'] } })).body;
      expect((await gate.ask('GET', '/v1/providers', key)).status).toBe(200);
      expect((await gate.ask('GET', '/v1/providers', key)).status).toBe(200);
      expect((await gate.ask('DELETE', `/v1/keys/${keyId}`, admin)).status).toBe(204);
      expect((await gate.ask('GET', '/v1/providers', key)).status).toBe(401);
    });

    it('is refused at once when another process has revoked it', async () => {
      const { keyId, key } = (await gate.ask<IssuedKeyView>('POST', '/v1/keys', admin, { body: { principal: 'gone-2', roles: ['auditor'] } })).body;
      for (let use = 0; use < 3; use += 1) await gate.ask('GET', '/v1/providers', key);
      await gate.planner.call('planner.revoke-key', { keyId, at: new Date().toISOString() }, { tenant: 'acme', principal: 'admin', correlationId: 'other-process' });
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect((await gate.ask('GET', '/v1/providers', key)).status).toBe(401);
    });

    it('never stands in what is logged', () => {
      expect(gate.logged.join('\n')).not.toContain(proposer.slice(-20));
    });

    it.each([
      ['a proposer decide', 'POST', '/v1/plans/s000000000000-p000000000000/decisions', () => proposer],
      ['an approver propose', 'POST', '/v1/sessions', () => approver],
      ['an admin answer in place of an approver', 'POST', '/v1/plans/s000000000000-p000000000000/decisions', () => admin],
      ['a tenant register tenants', 'POST', '/v1/tenants', () => admin],
      ['a proposer read the audit', 'GET', '/v1/audit/plans', () => proposer],
      ['an admin have everything rebuilt', 'POST', '/v1/audit/rebuild', () => admin],
      ['an admin see how a rebuild goes', 'GET', '/v1/audit/rebuild', () => admin],
      ['an admin see the figures of all tenants', 'GET', '/v1/operator/audit', () => admin],
      ['an admin see what belongs to no tenant', 'GET', '/v1/operator/dead-letters', () => admin],
    ])('does not let %s', async (_what, method, url, key) => {
      const { status, body } = await gate.ask(method, url, key(), method === 'POST' ? { body: {} } : {});
      expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    });

    it('lets the operator do nothing of a tenant’s', async () => {
      expect((await gate.ask('GET', '/v1/keys', OPERATOR_KEY)).status).toBe(401);
    });
  });

  describe('providers and policies', () => {
    it('describes a provider, registers it, and shows its operations to sessions', async () => {
      const registered = await gate.ask<ProviderView>('POST', '/v1/providers', admin, { body: { name: 'files', endpoint: { transport: 'mcp-stdio', command: 'server', args: ['/tmp'] } } });
      expect([registered.status, registered.body.version, registered.body.operations.length]).toEqual([201, 1, 3]);
      expect((await gate.ask<ProviderListView>('GET', '/v1/providers', proposer)).body.providers.map(({ name }) => name)).toEqual(['files']);
      const tools = await gate.ask<ToolListView>('GET', `/v1/sessions/${session}/tools`, proposer);
      expect(tools.body.tools.map(({ operation }) => operation)).toEqual(['read_file', 'write_file', 'send']);
      expect((await gate.ask('DELETE', '/v1/providers/files', admin)).status).toBe(204);
      expect((await gate.ask<ProviderListView>('GET', '/v1/providers', proposer)).body.providers).toEqual([]);
      expect((await gate.ask('GET', '/v1/providers/files', admin)).status).toBe(404);
    });

    it('starts no process for a tenant that may not', async () => {
      const guest = await gate.tenant('guest');
      const before = gate.planner.sent.filter(({ name }) => name === 'executor.describe-provider').length;
      const { status, body } = await gate.ask('POST', '/v1/providers', guest, { body: { name: 'files', endpoint: { transport: 'mcp-stdio', command: 'server' } } });
      expect([status, body.code]).toEqual([403, 'LOCAL_PROCESSES_FORBIDDEN']);
      expect(gate.planner.sent.filter(({ name }) => name === 'executor.describe-provider')).toHaveLength(before);
    });

    it('takes a bundle as YAML and as JSON', async () => {
      const yaml = 'rules:\n  - id: no-writes\n    match: { tool_name: write_file }\n    action: deny\n';
      const posted = await gate.ask<{ version: number }>('POST', '/v1/policies', admin, { raw: yaml, headers: { 'content-type': 'application/yaml' } });
      expect([posted.status, posted.body.version]).toEqual([201, 1]);
      const active = await gate.ask<{ rules: unknown }>('GET', '/v1/policies', approver);
      expect(active.body.rules).toEqual([{ id: 'no-writes', match: { tool_name: 'write_file' }, action: 'deny' }]);
      const again = await gate.ask<{ version: number }>('POST', '/v1/policies', admin, { body: active.body && { rules: active.body.rules } });
      expect(again.body.version).toBe(1);
    });

    it.each([['a: [', 'broken'], ['a: 1\na: 2', 'a key twice'], [`a: &a [${'x,'.repeat(9)}x]\nb: &b [${'*a,'.repeat(9)}*a]\nc: &c [${'*b,'.repeat(9)}*b]\nd: [${'*c,'.repeat(9)}*c]`, 'a bomb'], ['- a', 'a list'], ['rules: !!seq []', 'a tag'], ['rules:\n  - &r { id: r, match: {}, action: deny }', 'an anchor'], ['rules: []\n---\nrules: []', 'two documents']])('refuses YAML %j (%s)', async (yaml) => {
      const { status, body } = await gate.ask('POST', '/v1/policies', admin, { raw: yaml, headers: { 'content-type': 'application/yaml' } });
      expect([status, body.code]).toEqual([422, 'POLICY_INVALID']);
    });
  });

  describe('dead letters', () => {
    it('are listed, shown with their event and retried, service by service', async () => {
      const { planId } = (await propose([call('c1')])).body;
      const event = gate.broker.all('GATE').find((one) => one.key.id === planId)!;
      const letter = { stream: 'GATE', sequence: event.sequence, kind: 'failed', reason: 'it threw', deliveries: 20, at: '2026-01-01T00:00:00.000Z', retries: 0 } as const;
      const message = { tenant: 'acme', event };
      gate.letters.push({ letter: { ...letter, service: 'policy' }, message }, { letter: { ...letter, service: 'preview-fanout' }, message }, { letter: { ...letter, service: 'executor', resolvedAt: 'then' }, message });
      const listed = await gate.ask<DeadLetterListView>('GET', '/v1/dead-letters', admin);
      expect(listed.body.deadLetters.filter(({ sequence }) => sequence === event.sequence).map(({ service }) => service)).toEqual(['policy', 'preview-fanout']);
      const shown = await gate.ask<DeadLetterView>('GET', `/v1/dead-letters/GATE/${event.sequence}?service=preview-fanout`, admin);
      expect(shown.body).toMatchObject({ service: 'preview-fanout', reason: 'it threw', event: { type: 'plan.Proposed', aggregateId: planId } });
      const retried = await gate.ask<RetriedView>('POST', `/v1/dead-letters/GATE/${event.sequence}/retry`, admin);
      expect(retried.body).toMatchObject({ services: ['policy', 'preview-fanout'], failures: [] });
      expect(gate.retried).toEqual([`policy GATE:${event.sequence}`, `preview-fanout GATE:${event.sequence}`]);
      gate.failing.set('policy', new Error('password=hunter2'));
      const half = await gate.ask<RetriedView>('POST', `/v1/dead-letters/GATE/${event.sequence}/retry`, admin);
      expect([half.status, half.body.services, half.body.failures]).toEqual([200, ['preview-fanout'], [{ service: 'policy', code: 'INTERNAL', message: expect.not.stringContaining('hunter2') }]]);
      gate.failing.set('preview-fanout', new GateError('BUSY'));
      expect((await gate.ask('POST', `/v1/dead-letters/GATE/${event.sequence}/retry`, admin)).status).toBe(500);
      expect((await gate.ask('POST', `/v1/dead-letters/GATE/${event.sequence}/retry?service=preview-fanout`, admin)).body.code).toBe('BUSY');
      gate.failing.clear();
      expect((await gate.ask('POST', `/v1/dead-letters/GATE/${event.sequence}/retry?service=executor`, admin)).body.code).toBe('ALREADY_RESOLVED');
      expect((await gate.ask('GET', '/v1/dead-letters/GATE/0', admin)).body.code).toBe('DEAD_LETTER_UNKNOWN');
    });
  });

  describe('what belongs to no tenant', () => {
    const letter = { service: 'planner', stream: 'TIMER_planner', sequence: 7, kind: 'deliveries', reason: 'r', deliveries: 20, at: '2026-01-01T00:00:00.000Z', retries: 0 } as const;

    it('is shown to the operator alone, and retried by him', async () => {
      gate.letters.push({ letter, message: {} });
      const listed = await gate.ask<DeadLetterListView>('GET', '/v1/operator/dead-letters', OPERATOR_KEY);
      expect(listed.body.deadLetters.map(({ stream, sequence }) => [stream, sequence])).toEqual([['TIMER_planner', 7]]);
      expect((await gate.ask<DeadLetterView>('GET', '/v1/operator/dead-letters/TIMER_planner/7', OPERATOR_KEY)).body).toMatchObject({ service: 'planner' });
      expect((await gate.ask<RetriedView>('POST', '/v1/operator/dead-letters/TIMER_planner/7/retry', OPERATOR_KEY)).body.services).toEqual(['planner']);
      expect((await gate.ask<DeadLetterListView>('GET', '/v1/dead-letters', admin)).body.deadLetters.map(({ stream }) => stream)).not.toContain('TIMER_planner');
      expect((await gate.ask('GET', '/v1/dead-letters/TIMER_planner/7', admin)).body.code).toBe('DEAD_LETTER_UNKNOWN');
    });

    it('and a tenant’s letters are not the operator’s', async () => {
      const own = gate.letters.find(({ message }) => message.tenant === 'acme')!.letter;
      expect((await gate.ask('GET', `/v1/operator/dead-letters/${own.stream}/${own.sequence}`, OPERATOR_KEY)).body.code).toBe('DEAD_LETTER_UNKNOWN');
      expect((await gate.ask('GET', '/v1/operator/dead-letters/GATE/99999', OPERATOR_KEY)).body.code).toBe('DEAD_LETTER_UNKNOWN');
    });

    it('are rebuilds and the whole of the audit', async () => {
      const running = { state: 'running', rebuild: 'r1', startedAt: '2026-01-01T00:00:00.000Z', events: 3, total: 9 };
      gate.planner.instead.set('audit.rebuild', async () => running);
      gate.planner.instead.set('audit.rebuild-status', async () => ({ ...running, events: 5 }));
      gate.planner.instead.set('audit.status', async () => ({ checkpoints: {}, quarantined: 2 }));
      const begun = await gate.ask('POST', '/v1/audit/rebuild', OPERATOR_KEY);
      expect([begun.status, begun.body]).toEqual([202, running]);
      expect((await gate.ask('GET', '/v1/audit/rebuild', OPERATOR_KEY)).body).toEqual({ ...running, events: 5 });
      expect((await gate.ask('GET', '/v1/operator/audit', OPERATOR_KEY)).body).toEqual({ checkpoints: {}, quarantined: 2 });
      expect(gate.planner.sent.at(-1)).toMatchObject({ name: 'audit.status', payload: { whole: true }, context: { tenant: '_', principal: 'operator' } });
      await gate.ask('GET', '/v1/audit/status', admin);
      expect(gate.planner.sent.at(-1)).toMatchObject({ name: 'audit.status', payload: {}, context: { tenant: 'acme' } });
    });
  });

  describe('the audit', () => {
    it('is asked in the name of the caller’s tenant, with a query that was checked', async () => {
      gate.planner.instead.set('audit.query-items', async () => ({ rows: [], reflects: 7 }));
      const answer = await gate.ask<{ reflects: number }>('GET', '/v1/audit/plan-items?from=2026-03-01&provider=files&decision=deny&limit=5', admin);
      expect(answer.body).toEqual({ rows: [], reflects: 7 });
      expect(gate.planner.sent.at(-1)).toMatchObject({ payload: { from: '2026-03-01T00:00:00.000Z', provider: 'files', decision: 'deny', limit: 5 }, context: { tenant: 'acme', principal: 'admin' } });
      for (const query of ['limit=0', 'limit=1e3', 'from=yesterday', 'decision=maybe', 'session=*', 'provider=a%00b', 'session=a&session=b']) {
        expect((await gate.ask('GET', `/v1/audit/plan-items?${query}`, admin)).body.code).toBe('INVALID_REQUEST');
      }
    });
  });

  describe('tenants', () => {
    it('see nothing of each other', async () => {
      const stranger = await gate.tenant('other');
      const theirs = await gate.key(stranger, 'spy', 'proposer', 'approver', 'author', 'auditor', 'admin');
      const { planId } = (await propose([call('c1')])).body;
      await gate.append('policy', 'acme', planId, evaluated(verdict('i1', 'ask')));
      gate.letters.push({
        letter: { service: 'policy', stream: 'GATE', sequence: 3, kind: 'failed', reason: 'r', deliveries: 20, at: '2026-01-01T00:00:00.000Z', retries: 0 },
        message: { tenant: 'acme' },
      });
      const answer = { decision: 'approve', itemDigest: verdict('i1', 'ask').itemDigest };
      const tries: [string, string, object?][] = [
        ['GET', `/v1/plans/${planId}`], ['GET', `/v1/plans/${planId}?at=5`], ['GET', `/v1/plans/${planId}/events`], ['GET', `/v1/plans/${planId}/why`],
        ['GET', `/v1/plans/${planId}/items/i1`], ['POST', `/v1/plans/${planId}/cancel`], ['POST', `/v1/plans/${planId}/items/i1/decision`, answer],
        ['POST', `/v1/plans/${planId}/decisions`, { decisions: [{ ...answer, itemId: 'i1' }] }],
        ['GET', `/v1/sessions/${session}`], ['GET', `/v1/sessions/${session}/tools`], ['GET', `/v1/sessions/${session}/events`], ['POST', `/v1/sessions/${session}/end`],
        ['POST', `/v1/sessions/${session}/plans`, { items: [call('c1')] }], ['GET', '/v1/dead-letters/GATE/3'], ['POST', '/v1/dead-letters/GATE/3/retry'],
      ];
      for (const [method, url, body] of tries) {
        const seen = await gate.ask(method, url, theirs, body ? { body } : {});
        expect([url, seen.status]).toEqual([url, 404]);
        const nothing = await gate.ask(method, url.replaceAll(planId, 's000000000000-p000000000000').replaceAll(session, 's000000000000').replace('GATE/3', 'GATE/4'), theirs, body ? { body } : {});
        expect({ ...nothing.body, detail: '', correlationId: '' }).toEqual({ ...seen.body, detail: '', correlationId: '' });
      }
      expect((await gate.ask<{ deadLetters: unknown[] }>('GET', '/v1/dead-letters', theirs)).body.deadLetters).toEqual([]);
      expect((await gate.ask<{ deadLetters: unknown[] }>('GET', '/v1/dead-letters', admin)).body.deadLetters).not.toEqual([]);
      expect((await gate.ask<KeyListView>('GET', '/v1/keys', theirs)).body.keys.map((key) => key.principal)).toEqual(['admin', 'spy']);
      expect((await gate.ask<PlanView>('GET', `/v1/plans/${planId}`, approver)).body.items[0]!.decision).toBe('ask');
    });

    it('are registered once', async () => {
      const { status, body } = await gate.ask('POST', '/v1/tenants', OPERATOR_KEY, { body: { tenantId: 'acme', name: 'again' } });
      expect([status, body.code]).toEqual([409, 'TENANT_EXISTS']);
    });
  });
});
