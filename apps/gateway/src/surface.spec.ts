import type { GrantEvent, PlanEvent, SessionEvent } from '@countersign/contracts';
import { grantKey, sessionKey, type NewEvent } from '@countersign/contracts';
import type {
  ApprovalPage, ExplainedView, FreezeListView, FreezeView, GrantPreviewView, KeyListView, NewSubscriberView, NewWebhookView, PlanView, PolicyDiffView, PolicyHistoryView, PolicyView, Problem,
  PushedBundleView, SessionGrantListView, SessionView, SettingsView, ShadowPolicyView, StandingGrantPage, StandingGrantView, ToolListView,
} from '@countersign/contracts/http';
import { CountersignClient } from '@countersign/sdk';
import { DEFAULT_TENANT_SETTINGS } from '@countersign/contracts';
import { InMemoryEventLog } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { MemoryGate } from './spec-support/memory-gate.js';

const ITEM_DIGEST = 'a'.repeat(64);
const NOWHERE = 's000000000000-p000000000000';

describe('policies, grants, approvals, settings and freezes over HTTP', () => {
  let gate: MemoryGate;
  let admin: string;
  let author: string;
  let proposer: string;
  let approver: string;
  let session: string;
  let planId: string;
  let standing: string;

  const code = async (asked: Promise<{ status: number; body: unknown }>): Promise<[number, string]> => asked.then(({ status, body }) => [status, (body as Problem).code]);
  const post = <T>(url: string, key: string, body?: object) => gate.ask<T>('POST', url, key, body === undefined ? {} : { body });
  const get = async <T>(url: string, key: string) => (await gate.ask<T>('GET', url, key)).body;

  async function grant(event: GrantEvent, grantId: string): Promise<void> {
    const log = new InMemoryEventLog('policy', gate.broker);
    const key = grantKey('acme', grantId);
    await log.append(key, await log.end(key), { ...event, meta: { actor: 'service:policy', correlationId: 'spec' } } as NewEvent);
  }
  const activated = (operation: string, expiresAt?: string): GrantEvent => ({
    type: 'grant.Activated',
    data: { reservation: 'r', grant: { profile: 'default', provider: 'files', operation, decision: 'allow', author: 'ops', reason: 'often', origin: { plan: planId, itemId: 'i1' }, ...(expiresAt ? { expiresAt } : {}) }, at: '2026-01-01T00:00:00.000Z' },
  });
  async function sessionFact(sessionId: string, event: SessionEvent): Promise<void> {
    const log = new InMemoryEventLog('planner', gate.broker);
    const key = sessionKey('acme', sessionId);
    await log.append(key, await log.end(key), { ...event, meta: { actor: 'service:planner', correlationId: 'spec' } } as NewEvent);
  }

  beforeAll(async () => {
    gate = await new MemoryGate().start();
    admin = await gate.tenant('acme', { localProcesses: true });
    author = await gate.key(admin, 'writer', 'author');
    proposer = await gate.key(admin, 'bot', 'proposer');
    approver = await gate.keyOf(admin, { principal: 'ops', roles: ['approver'], groups: ['security'] });
    session = await gate.session(proposer);
    planId = (await post<PlanView>(`/v1/sessions/${session}/plans`, proposer, { items: [{ callId: 'c', provider: 'files', operation: 'send', input: {} }] })).body.planId;
    await gate.append('policy', 'acme', planId, {
      type: 'plan.Evaluated',
      data: {
        round: 1, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: new Date().toISOString(), engine: 'spec',
        items: [{ itemId: 'i1', decision: 'ask', decidedBy: 'policy:default', itemDigest: ITEM_DIGEST, terms: { quorum: 1, onTimeout: 'deny', scopes: ['once', 'session', 'always'] }, expiresAt: '2999-01-01T00:00:00.000Z' }],
      },
    } satisfies PlanEvent);
    standing = `g${'1'.repeat(24)}`;
    await grant(activated('send'), standing);
    await grant(activated('write_file', '2026-02-01T00:00:00.000Z'), `g${'2'.repeat(24)}`);
    await grant(activated('chmod'), `g${'3'.repeat(24)}`);
    await grant({ type: 'grant.Reserved', data: { reservation: 'r', grant: (activated('reserved').data as Extract<GrantEvent, { type: 'grant.Activated' }>['data']).grant, until: 'u', at: 'a' } }, `g${'4'.repeat(24)}`);
  });
  afterEach(() => gate.planner.instead.clear());
  afterAll(() => gate.stop());

  describe('policies', () => {
    const deny = { id: 'no-writes', match: { tool_name: 'write_file' }, action: 'deny' } as const;
    const ask = { id: 'ask-send', match: { tool_name: 'send' }, action: 'ask' } as const;

    it('are pushed, activated by digest, compared, rolled back and kept as a history', async () => {
      const first = (await post<PolicyView>('/v1/policies', author, { rules: [deny] })).body;
      const pushed = await post<PushedBundleView>('/v1/policies/push', author, { rules: [{ ...deny, message: 'no' }, ask] });
      expect([pushed.status, pushed.body.layer]).toEqual([201, 'rules']);
      const second = (await post<PolicyView>('/v1/policies', author, { digest: pushed.body.digest })).body;
      expect([first.version, second.version, second.digest, second.rules.length]).toEqual([1, 2, pushed.body.digest, 2]);
      const diff = await get<PolicyDiffView>('/v1/policies/diff?from=1&to=2', approver);
      expect(diff).toMatchObject({ added: [ask], removed: [], changed: [{ id: 'no-writes', from: deny, to: { ...deny, message: 'no' } }], profilesChanged: false, from: { version: 1 }, to: { version: 2 } });
      expect(await get<PolicyDiffView>('/v1/policies/diff?from=0&to=1', approver)).toMatchObject({ added: [deny], from: { rules: [] } });
      const back = await post<PolicyView>('/v1/policies/rollback', author);
      expect([back.status, back.body]).toEqual([200, expect.objectContaining({ version: 3, rolledBackTo: 1, rules: [deny], activatedBy: 'writer' })]);
      expect((await get<PolicyHistoryView>('/v1/policies/history', proposer)).versions.map(({ version, rolledBackTo }) => [version, rolledBackTo])).toEqual([[3, 1], [2, undefined], [1, undefined]]);
      expect((await get<PolicyView>('/v1/policies/versions/2', proposer)).rules).toHaveLength(2);
      for (const url of ['/v1/policies/versions/9', '/v1/policies/versions/x', '/v1/policies/diff?from=1&to=9']) expect(await code(gate.ask('GET', url, proposer))).toEqual([404, 'VERSION_UNKNOWN']);
      for (const url of ['/v1/policies/diff', '/v1/policies/diff?from=1&to=two', '/v1/policies?layer=mine']) expect(await code(gate.ask('GET', url, proposer))).toEqual([400, 'INVALID_REQUEST']);
      expect(await code(post('/v1/policies/rollback', author, { version: 0 }))).toEqual([400, 'INVALID_REQUEST']);
      expect(await code(post('/v1/policies', author, { digest: 'latest' }))).toEqual([400, 'INVALID_REQUEST']);
    });

    it('have a layer that only an admin changes', async () => {
      for (const url of ['/v1/policies', '/v1/policies/push', '/v1/policies/rollback']) expect(await code(post(`${url}?layer=guardrails`, author, { rules: [] }))).toEqual(url.endsWith('rollback') ? [400, 'INVALID_REQUEST'] : [403, 'FORBIDDEN']);
      expect(await code(post('/v1/policies/rollback?layer=guardrails', author))).toEqual([403, 'FORBIDDEN']);
      expect((await post<PolicyView>('/v1/policies?layer=guardrails', admin, { rules: [deny] })).body).toMatchObject({ layer: 'guardrails', version: 1 });
      expect(await get<PolicyView>('/v1/policies?layer=guardrails', proposer)).toMatchObject({ rules: [deny] });
    });

    it('have a shadow, which is chosen and dropped', async () => {
      expect(await get<ShadowPolicyView>('/v1/policies/shadow', author)).toEqual({ sequence: expect.any(Number) });
      expect((await post<ShadowPolicyView>('/v1/policies/shadow', author, { rules: [ask] })).body).toMatchObject({ rules: [ask], chosenBy: 'writer' });
      expect((await gate.ask<ShadowPolicyView>('DELETE', '/v1/policies/shadow', author)).body.rules).toBeUndefined();
    });

    it('are linted as text, from YAML and from JSON alike', async () => {
      gate.planner.instead.set('policy.lint', async () => ({ findings: [], rules: 1 }));
      const texts: string[] = [];
      for (const asking of [{ raw: 'rules: [', headers: { 'content-type': 'application/yaml' } }, { body: { text: 'rules: [' } }, { body: { rules: [ask] } }]) {
        expect((await gate.ask('POST', '/v1/policies/lint?layer=guardrails', author, asking)).body).toEqual({ findings: [], rules: 1 });
        texts.push((gate.planner.sent.at(-1)!.payload as { text: string }).text);
      }
      expect([...texts.slice(0, 2), JSON.parse(texts[2]!)]).toEqual(['rules: [', 'rules: [', { rules: [ask] }]);
      expect(await code(post('/v1/policies/lint', author, { yaml: 'x' }))).toEqual([400, 'INVALID_REQUEST']);
    });

    it('are asked about a call that nobody made, and about an item', async () => {
      const explained = { decision: 'ask', decidedBy: 'policy:default', layers: [], matched: [], why: 'no rule matches', bundle: { version: 0, digest: 'd' } };
      gate.planner.instead.set('policy.simulate', async () => explained);
      gate.planner.instead.set('policy.explain', async () => explained);
      expect((await post<ExplainedView>('/v1/policies/simulate', author, { call: { provider: 'files', operation: 'send', kind: null, input: { a: 1 } } })).body).toEqual(explained);
      expect(gate.planner.sent.at(-1)!.payload).toEqual({ call: { provider: 'files', operation: 'send', input: { a: 1 } }, at: expect.any(String) });
      expect(await get<ExplainedView>(`/v1/plans/${planId}/items/i1/explain`, approver)).toEqual(explained);
      expect(await code(gate.ask('GET', `/v1/plans/${planId}/items/i9/explain`, approver))).toEqual([404, 'NOT_FOUND']);
      expect(await code(post('/v1/policies/simulate', author, { call: { provider: 'files', operation: 'send', risk: 'huge' } }))).toEqual([400, 'INVALID_REQUEST']);
    });

    it('publish their schema to everybody', async () => {
      expect((await gate.ask<object>('GET', '/v1/policies/schema')).body).toMatchObject({ type: 'object', required: ['rules'] });
    });
  });

  describe('grants', () => {
    it('are listed in pages, with their hits as far as the audit says', async () => {
      gate.planner.instead.set('audit.grant-use', async () => ({ uses: [{ grantId: standing, hits: 7, lastHitAt: '2026-03-01T00:00:00.000Z' }], reflects: 99 }));
      const first = await get<StandingGrantPage>('/v1/grants?limit=1', author);
      expect(first).toMatchObject({
        reflects: 99, nextCursor: expect.any(String),
        grants: [{ grantId: standing, status: 'active', hits: 7, author: 'ops', reason: 'often', origin: { plan: planId, itemId: 'i1' }, covers: 'every send of provider files in sessions of profile default, until it is revoked' }],
      });
      const rest = await get<StandingGrantPage>(`/v1/grants?cursor=${first.nextCursor}`, author);
      expect(rest.grants.map(({ operation, hits }) => [operation, hits])).toEqual([['chmod', 0]]);
      expect(rest.nextCursor).toBeUndefined();
      expect((await get<StandingGrantPage>('/v1/grants?status=expired', author)).grants.map(({ operation }) => operation)).toEqual(['write_file']);
      gate.planner.instead.delete('audit.grant-use');
      expect((await get<StandingGrantView>(`/v1/grants/${standing}`, author)).hits).toBeUndefined();
    });

    it.each(['cursor=%2a', 'cursor=zzz*', 'limit=0', 'status=any', 'cursor='])('refuse ?%s', async (query) => {
      const [status, said] = await code(gate.ask('GET', `/v1/grants?${query}`, author));
      expect([status, ['CURSOR_INVALID', 'INVALID_REQUEST'].includes(said)]).toEqual([400, true]);
    });

    it('are revoked, with a reason, and shown as revoked from then on', async () => {
      const id = `g${'3'.repeat(24)}`;
      const { status, body } = await post<StandingGrantView>(`/v1/grants/${id}/revoke`, approver, { reason: 'too wide' });
      expect([status, body.status, body.revoked]).toEqual([200, 'revoked', { by: 'ops', reason: 'too wide', at: expect.any(String) }]);
      expect((await get<StandingGrantPage>('/v1/grants?status=revoked', author)).grants).toHaveLength(1);
      expect(await code(post(`/v1/grants/${id}/revoke`, proposer))).toEqual([403, 'FORBIDDEN']);
      for (const unknown of [`g${'4'.repeat(24)}`, `g${'9'.repeat(24)}`, '%3E', '..%2f']) expect(await code(post(`/v1/grants/${unknown}/revoke`, approver))).toEqual([404, 'NOT_FOUND']);
    });

    it('say what they would have allowed before they are given', async () => {
      const counted = { profile: 'default', provider: 'files', operation: 'send', asked: 3, approved: 2, rejected: 1, expired: 0, examples: [], notComparable: 0, reflects: 5 };
      gate.planner.instead.set('audit.preview-grant', async (payload) => ({ ...counted, from: (payload as { from: string }).from, to: (payload as { to: string }).to, narrow: (payload as { narrow: object }).narrow }));
      const { body } = await post<GrantPreviewView>('/v1/grants/preview', approver, { planId, itemId: 'i1', narrow: { kind: 'host', field: '/url', host: 'a.example' } });
      expect(body).toMatchObject({ ...counted, covers: 'every send of provider files whose /url is at the host a.example, in sessions of profile default, until it is revoked' });
      expect(Date.parse(body.to) - Date.parse(body.from)).toBe(30 * 24 * 3_600_000);
      expect(await code(post('/v1/grants/preview', approver, { planId, itemId: 'i1', narrow: { kind: 'host' } }))).toEqual([400, 'INVALID_REQUEST']);
      expect(await code(post('/v1/grants/preview', approver, { planId: NOWHERE, itemId: 'i1' }))).toEqual([404, 'NOT_FOUND']);
    });
  });

  describe('approvals', () => {
    it('are asked of the audit with a query that was checked, for the roles and groups of the key where it asks for its own', async () => {
      gate.planner.instead.set('audit.query-approvals', async () => ({ rows: [{ planId, itemId: 'i1' }], nextCursor: 'n', reflects: 12 }));
      expect(await get<ApprovalPage>('/v1/approvals?provider=files&risk=high&olderThan=2h&limit=5&session=' + session, approver)).toEqual({ rows: [{ planId, itemId: 'i1' }], nextCursor: 'n', reflects: 12 });
      const { payload, context } = gate.planner.sent.at(-1)! as { payload: { askedBefore: string }; context: object };
      expect([payload, context]).toMatchObject([{ provider: 'files', risk: 'high', limit: 5, session }, { tenant: 'acme', principal: 'ops' }]);
      expect(Date.now() - Date.parse(payload.askedBefore)).toBeGreaterThanOrEqual(2 * 3_600_000);
      await get('/v1/approvals?mine=true', approver);
      expect(gate.planner.sent.at(-1)!.payload).toEqual({ roles: ['approver', 'security'] });
      await get('/v1/approvals?role=security', admin);
      expect(gate.planner.sent.at(-1)!.payload).toEqual({ roles: ['security'] });
      expect(await get<ApprovalPage>('/v1/approvals?mine=true', admin)).toEqual({ rows: [], reflects: 12 });
    });

    it.each(['risk=huge', 'olderThan=long', 'olderThan=2h&askedBefore=2026-01-01', 'mine=yes', 'mine=true&role=x', 'limit=1000', 'session=*', 'role=A', 'askedBefore=soon'])('refuse ?%s', async (query) => {
      expect(await code(gate.ask('GET', `/v1/approvals?${query}`, approver))).toEqual([400, 'INVALID_REQUEST']);
    });

    it('pass on that a cursor is none', async () => {
      gate.planner.instead.set('audit.query-approvals', async () => { throw new GateError('CURSOR_INVALID'); });
      expect(await code(gate.ask('GET', '/v1/approvals?cursor=zzz', approver))).toEqual([400, 'CURSOR_INVALID']);
      expect(await code(gate.ask('GET', '/v1/approvals/events?cursor=zzz', approver))).toEqual([400, 'CURSOR_INVALID']);
    });

    it('stream their changes and nothing else, from a cursor on', async () => {
      const items = ['a', 'b'].map((callId) => ({ callId, provider: 'files', operation: 'send', input: {} }));
      const { body: plan } = await post<PlanView>(`/v1/sessions/${session}/plans`, proposer, { items });
      const fact = (author: 'policy' | 'planner', event: PlanEvent) => gate.append(author, 'acme', plan.planId, event);
      await fact('policy', { type: 'plan.Evaluated', data: {
        round: 1, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: new Date().toISOString(), engine: 'spec',
        items: [{ itemId: 'i1', decision: 'ask', decidedBy: 'policy:default', itemDigest: ITEM_DIGEST }, { itemId: 'i2', decision: 'allow', decidedBy: 'policy:default', itemDigest: ITEM_DIGEST }],
      } });
      await post(`/v1/plans/${plan.planId}/items/i1/decision`, approver, { decision: 'reject', itemDigest: ITEM_DIGEST });
      await fact('planner', { type: 'plan.ItemsExpired', data: { items: ['i1'], at: 'then' } });
      await post(`/v1/plans/${plan.planId}/cancel`, proposer);
      const response = await fetch(`http://127.0.0.1:${gate.port}/v1/approvals/events?cursor=start`, { headers: { authorization: `Bearer ${approver}` } });
      const reader = response.body!.getReader();
      let text = '';
      while (!text.includes('event: closed')) text += Buffer.from((await reader.read()).value!).toString();
      await reader.cancel();
      const seen = [...text.matchAll(/event: (\w+)\ndata: (.*)\n/g)].map(([, name, data]) => [name, JSON.parse(data!) as object] as const).filter(([, data]) => (data as { planId: string }).planId === plan.planId);
      expect(seen.map(([name]) => name)).toEqual(['asked', 'answered', 'expired', 'closed']);
      expect(seen[0]![1]).toMatchObject({ change: 'asked', sessionId: session, items: [{ itemId: 'i1', itemDigest: ITEM_DIGEST }] });
      expect(seen[1]![1]).toMatchObject({ items: [{ itemId: 'i1', principal: 'ops', decision: 'reject' }] });
      expect(text).not.toContain('plan.Proposed');
    });
  });

  describe('sessions', () => {
    it('show their mode, and bypass asks only where the tenant permits it', async () => {
      expect(await code(post('/v1/sessions', proposer, { agent: 'a', permissionMode: 'bypassPermissions' }))).toEqual([403, 'MODE_FORBIDDEN']);
      expect(await code(post('/v1/sessions', proposer, { agent: 'a', permissionMode: 'yolo' }))).toEqual([400, 'INVALID_REQUEST']);
      expect((await post<SessionView>('/v1/sessions', proposer, { agent: 'a' })).body).toMatchObject({ permissionMode: 'default', grants: [] });
    });

    it('are told in mode plan only of what changes nothing, and in their final turn of nothing', async () => {
      await post('/v1/providers', admin, { name: 'files', endpoint: { transport: 'mcp-stdio', command: 'server' } });
      const { sessionId } = (await post<SessionView>('/v1/sessions', proposer, { agent: 'a', permissionMode: 'plan' })).body;
      const tools = async () => (await get<ToolListView>(`/v1/sessions/${sessionId}/tools`, proposer)).tools.map(({ operation }) => operation);
      expect(await tools()).toEqual(['read_file', 'send']);
      const reached = { cause: 'circuit_breaker', detail: '5 denials in a row', items: [{ plan: planId, itemId: 'i1' }], endsAt: '2999-01-01T00:00:00.000Z', at: '2026-01-01T00:00:00.000Z' } as const;
      await sessionFact(sessionId, { type: 'session.LimitReached', data: reached });
      expect(await get<SessionView>(`/v1/sessions/${sessionId}`, proposer)).toMatchObject({ status: 'open', limitReached: reached });
      expect(await tools()).toEqual([]);
    });

    it('list their grants and revoke them', async () => {
      const granted = (await post<{ grantId: string }>(`/v1/plans/${planId}/items/i1/decision`, approver, { decision: 'reject', itemDigest: ITEM_DIGEST, scope: 'session' })).body.grantId;
      expect((await get<SessionGrantListView>(`/v1/sessions/${session}/grants`, proposer)).grants).toMatchObject([{ grantId: granted, decision: 'deny', by: 'ops', covers: 'every send of provider files in this session' }]);
      expect(await code(post(`/v1/sessions/${session}/grants/${granted}/revoke`, proposer))).toEqual([403, 'FORBIDDEN']);
      expect((await post<SessionGrantListView>(`/v1/sessions/${session}/grants/${granted}/revoke`, approver)).body.grants).toEqual([]);
      for (const unknown of ['g000', '%3E']) expect(await code(post(`/v1/sessions/${session}/grants/${unknown}/revoke`, approver))).toEqual([404, 'NOT_FOUND']);
    });

    it('call their new facts by names that people listen for', async () => {
      const names: string[] = [];
      const over = new AbortController();
      for await (const { event } of new CountersignClient({ url: `http://127.0.0.1:${gate.port}`, apiKey: approver }).events({ session, cursor: 'start', signal: over.signal })) {
        names.push(event);
        if (event === 'grant_revoked') break;
      }
      over.abort();
      expect(names).toContain('grant_given');
    });
  });

  describe('settings', () => {
    it('are read by everybody, and changed as a whole by an admin', async () => {
      expect((await get<SettingsView>('/v1/settings', proposer)).settings).toEqual(DEFAULT_TENANT_SETTINGS);
      const settings = { ...DEFAULT_TENANT_SETTINGS, standingGrants: false };
      expect((await gate.ask<SettingsView>('PUT', '/v1/settings', admin, { body: settings })).body.settings).toEqual(settings);
      expect(await code(gate.ask('PUT', '/v1/settings', author, { body: settings }))).toEqual([403, 'FORBIDDEN']);
      const { breaker: _breaker, ...partial } = settings;
      for (const bad of [partial, { ...settings, more: 1 }, { ...settings, doomLoop: { repeats: 3, within: 2 } }]) expect(await code(gate.ask('PUT', '/v1/settings', admin, { body: bad }))).toEqual([400, 'INVALID_REQUEST']);
    });

    it('show a subscriber’s and a webhook’s secret once, and another one for the next registration', async () => {
      const subscriber = { name: 'scanner', url: 'https://veto.example/check' };
      const made = await post<NewSubscriberView>('/v1/subscribers', admin, subscriber);
      expect([made.status, made.body]).toEqual([201, { ...subscriber, deadlineMs: 2_000, secretVersion: 1, secret: 'whsec_acme-veto-scanner-1' }]);
      expect((await post<NewSubscriberView>('/v1/subscribers', admin, subscriber)).body.secret).toBe('whsec_acme-veto-scanner-2');
      const hook = await post<NewWebhookView>('/v1/webhooks', admin, { name: 'chat', url: 'https://hooks.example/x', events: ['asked'], format: 'slack' });
      expect(hook.body).toEqual({ name: 'chat', url: 'https://hooks.example/x', events: ['asked'], format: 'slack', secretVersion: 1, secret: 'whsec_acme-webhook-chat-1' });
      for (const url of ['/v1/subscribers', '/v1/webhooks']) {
        const listed = await gate.ask('GET', url, admin);
        expect([listed.status, listed.text.includes('secretVersion'), listed.text.includes('whsec')]).toEqual([200, true, false]);
        expect(await code(gate.ask('GET', url, author))).toEqual([403, 'FORBIDDEN']);
      }
      expect((await gate.ask('DELETE', '/v1/webhooks/chat', admin)).status).toBe(204);
      for (const unknown of ['nobody', '%3E']) expect(await code(gate.ask('DELETE', `/v1/subscribers/${unknown}`, admin))).toEqual([404, 'NOT_FOUND']);
      expect(gate.broker.all('CATALOG').map((event) => JSON.stringify(event)).join()).not.toContain('whsec');
    });

    it.each([['http://veto.example', 'URL_NOT_ALLOWED'], ['file:///etc/passwd', 'URL_NOT_ALLOWED'], ['https://a:b@veto.example', 'URL_NOT_ALLOWED'], ['', 'INVALID_REQUEST']])('take no subscriber at %s', async (url, said) => {
      expect((await code(post('/v1/subscribers', admin, { name: 'x', url })))[1]).toBe(said);
    });

    it('issue keys with groups, which are listed', async () => {
      expect((await get<KeyListView>('/v1/keys', admin)).keys.find(({ principal }) => principal === 'ops')).toMatchObject({ roles: ['approver'], groups: ['security'] });
      expect(await code(post('/v1/keys', admin, { principal: 'x', roles: ['approver'], groups: ['Not OK'] }))).toEqual([400, 'INVALID_REQUEST']);
    });
  });

  describe('freezes', () => {
    it('are made once under one Idempotency-Key, listed and lifted', async () => {
      const asking = { body: { target: { provider: 'files', session: null }, reason: 'odd calls' }, headers: { 'idempotency-key': 'stop-1' } };
      const made = await gate.ask<FreezeView>('POST', '/v1/freeze', approver, asking);
      expect([made.status, made.body]).toEqual([201, { freezeId: expect.stringMatching(/^f[0-9a-f]{24}$/), target: { provider: 'files' }, by: 'ops', reason: 'odd calls', at: expect.any(String) }]);
      expect((await gate.ask<FreezeView>('POST', '/v1/freeze', approver, asking)).body).toEqual(made.body);
      expect(await code(gate.ask('POST', '/v1/freeze', approver, { ...asking, body: { reason: 'other' } }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      expect((await get<FreezeListView>('/v1/freeze', proposer)).freezes).toEqual([made.body]);
      expect((await gate.ask('DELETE', `/v1/freeze/${made.body.freezeId}`, admin)).status).toBe(204);
      expect((await get<FreezeListView>('/v1/freeze', proposer)).freezes).toEqual([]);
      expect(await code(gate.ask('POST', '/v1/freeze', approver, asking))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    });

    it.each([[{}], [{ reason: 'x', target: { operation: 'send' } }], [{ reason: 'x', target: { session: 'mine' } }], [{ reason: 'x', target: { planet: 'earth' } }]])('refuse %j', async (body) => {
      expect(await code(post('/v1/freeze', approver, body))).toEqual([400, 'INVALID_REQUEST']);
    });
  });

  it('show a tenant nothing of another’s, route by route', async () => {
    const theirs = await gate.key(await gate.tenant('other'), 'spy', 'proposer', 'approver', 'author', 'auditor', 'admin');
    const { freezeId } = (await post<FreezeView>('/v1/freeze', approver, { reason: 'ours' })).body;
    const body = { itemDigest: ITEM_DIGEST };
    const tries: [string, string, object?][] = [
      ['POST', `/v1/plans/${planId}/items/i1/correction`, { ...body, input: {} }], ['POST', `/v1/plans/${planId}/items/i1/decision`, { ...body, decision: 'approve', scope: 'session' }],
      ['GET', `/v1/plans/${planId}/items/i1/explain`], ['GET', `/v1/sessions/${session}/grants`], ['POST', `/v1/sessions/${session}/grants/g1/revoke`],
      ['GET', `/v1/grants/${standing}`], ['POST', `/v1/grants/${standing}/revoke`], ['POST', '/v1/grants/preview', { planId, itemId: 'i1' }],
      ['DELETE', `/v1/freeze/${freezeId}`], ['DELETE', '/v1/subscribers/scanner'], ['GET', '/v1/policies/versions/1'], ['POST', '/v1/policies/rollback', { version: 1 }],
    ];
    for (const [method, url, asked] of tries) expect([url, (await gate.ask(method, url, theirs, asked ? { body: asked } : {})).status]).toEqual([url, 404]);
    const empty: [string, object][] = [
      ['/v1/grants', { grants: [] }], ['/v1/subscribers', { subscribers: [] }], ['/v1/webhooks', { webhooks: [] }], ['/v1/freeze', { freezes: [] }], ['/v1/policies/history', { versions: [] }],
      ['/v1/policies', { version: 0 }], ['/v1/policies?layer=guardrails', { version: 0 }], ['/v1/settings', { settings: DEFAULT_TENANT_SETTINGS }], ['/v1/policies/diff?from=0&to=0', { added: [] }],
    ];
    for (const [url, seen] of empty) expect([url, await get(url, theirs)]).toMatchObject([url, seen]);
    expect((await get<ShadowPolicyView>('/v1/policies/shadow', theirs)).digest).toBeUndefined();
    gate.planner.instead.set('audit.query-approvals', async () => ({ rows: [], reflects: 0 }));
    await get('/v1/approvals?mine=true', theirs);
    expect(gate.planner.sent.at(-1)!.context).toMatchObject({ tenant: 'other', principal: 'spy' });
    for (const [method, url, command, asked] of [
      ['POST', '/v1/policies', 'policy.activate-bundle', { rules: [] }], ['POST', '/v1/policies/push', 'policy.push-bundle', { rules: [] }], ['POST', '/v1/policies/shadow', 'policy.choose-shadow', { rules: [] }],
      ['DELETE', '/v1/policies/shadow', 'policy.choose-shadow', undefined], ['PUT', '/v1/settings', 'planner.change-settings', DEFAULT_TENANT_SETTINGS], ['POST', '/v1/freeze', 'planner.freeze', { reason: 'x' }],
      ['POST', '/v1/subscribers', 'planner.register-subscriber', { name: 'a', url: 'https://a.example' }], ['POST', '/v1/webhooks', 'planner.register-webhook', { name: 'a', url: 'https://a.example' }],
    ] as const) {
      await gate.ask(method, url, theirs, asked ? { body: asked } : {});
      expect(gate.planner.sent.at(-1)).toMatchObject({ name: command, context: { tenant: 'other', principal: 'spy' } });
    }
    expect((await get<FreezeListView>('/v1/freeze', approver)).freezes.map((one) => one.freezeId)).toEqual([freezeId]);
  });
});
