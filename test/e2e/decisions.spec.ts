import { createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PlanView } from '@countersign/contracts/http';
import { apiOf, type Answer, type Api, type Parsed } from './support/api.js';
import { newStateFolder, startGate, type RunningGate } from './support/commands.js';
import { fsck } from './support/fsck.js';

const RULES = [
  { id: 'notes', match: { tool_name: 'write_note' }, action: 'ask' },
  { id: 'short', match: { tool_name: 'write_note' }, when: 'size(input.text) < 4', action: 'allow' },
  { id: 'two-of-security', match: { tool_name: 'overwrite_note' }, action: 'ask', ask: { quorum: 2, roles: ['security'], not_requester: true, require_reason: true } },
  { id: 'never-here', match: { tool_name: 'overwrite_note', provider: 'other' }, action: 'deny', message: 'Others’ notes stay as they are.' },
];

interface Received { readonly headers: IncomingMessage['headers']; readonly text: string; readonly body: Parsed }

/** What the gate calls outside: keeps what came, and answers as it is told. */
class Outside {
  readonly received: Received[] = [];
  private readonly waiting = new Set<() => void>();
  private constructor(private readonly server: Server, private reply: (body: Parsed) => unknown) {}

  static async listen(reply: (body: Parsed) => unknown = () => ({})): Promise<Outside> {
    const server = createServer();
    const outside = new Outside(server, reply);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        outside.received.push({ headers: request.headers, text, body: JSON.parse(text) });
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify(outside.reply(JSON.parse(text))));
        for (const look of [...outside.waiting]) look();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return outside;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  answers(reply: (body: Parsed) => unknown): void {
    this.reply = reply;
  }

  first(fits: (received: Received) => boolean): Promise<Received> {
    return new Promise((resolve) => {
      const look = (): void => {
        const found = this.received.find(fits);
        if (!found) return;
        this.waiting.delete(look);
        resolve(found);
      };
      this.waiting.add(look);
      look();
    });
  }

  close(): Promise<unknown> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(resolve));
  }
}

describe('decisions, from a rule to what people and webhooks see', () => {
  let gate: RunningGate;
  let state: Awaited<ReturnType<typeof newStateFolder>>;
  let admin: Api;
  let agent: Api;
  let ann: Api;
  let ben: Api;
  let outside: Outside;
  const keys = new Map<string, string>();

  const start = async (): Promise<void> => {
    gate = await startGate(state.folder);
    admin = apiOf(gate, gate.state.key);
    agent = apiOf(gate, gate.state.demo.agentKey);
    for (const principal of ['ann', 'ben']) {
      if (!keys.has(principal)) keys.set(principal, (await admin('POST', '/v1/keys', { principal, roles: ['approver'], groups: ['security'] })).body.key);
    }
    ann = apiOf(gate, keys.get('ann')!);
    ben = apiOf(gate, keys.get('ben')!);
  };

  beforeAll(async () => {
    state = await newStateFolder();
    outside = await Outside.listen();
    await start();
    for (const name of ['notes', 'other']) {
      expect(await admin('POST', '/v1/providers', { name, endpoint: { transport: 'fake', behaviour: 'previewable=no' } })).toMatchObject({ status: 201 });
    }
    expect(await admin('POST', '/v1/policies', { rules: RULES })).toMatchObject({ status: 201 });
  }, 120_000);
  afterAll(async () => {
    await gate?.stop();
    await outside?.close();
    await state.remove();
  }, 60_000);

  const newSession = async (more: object = {}): Promise<string> => (await agent('POST', '/v1/sessions', { agent: 'coder', ...more })).body.sessionId;
  const propose = async (session: string, operation: string, input: object, provider = 'notes', until = 'verdict'): Promise<PlanView> =>
    (await agent<PlanView>('POST', `/v1/sessions/${session}/plans?wait=30&until=${until}`, { items: [{ callId: 'c1', provider, operation, input }] })).body;
  const settled = async (plan: string): Promise<PlanView> => (await agent<PlanView>('GET', `/v1/plans/${plan}?wait=30&until=settled`)).body;
  const decide = (who: Api, plan: PlanView, said: object) =>
    who<PlanView & { pending?: object; grantId?: string }>('POST', `/v1/plans/${plan.planId}/items/i1/decision`, { itemDigest: plan.items[0]!.itemDigest, ...said });
  const long = { name: 'a', text: 'a long text' };

  it('a condition decides, and what it decides is explained and simulated', async () => {
    const session = await newSession();
    expect((await propose(session, 'write_note', { name: 'a', text: 'abc' }, 'notes', 'settled')).items[0]).toMatchObject({ decision: 'allow', decidedBy: 'policy:short', outcome: 'applied' });
    const asked = await propose(session, 'write_note', long);
    expect(asked.items[0]).toMatchObject({ decision: 'ask', decidedBy: 'policy:notes' });
    const { body } = await admin('GET', `/v1/plans/${asked.planId}/items/i1/explain`);
    expect(body).toMatchObject({ decision: 'ask', rule: 'notes', matched: [{ rule: 'short', when: 'false', won: false }, { rule: 'notes', won: true }] });
    const simulated = await admin('POST', '/v1/policies/simulate', { call: { provider: 'other', operation: 'overwrite_note', input: long } });
    expect(simulated.body).toMatchObject({ decision: 'deny', decidedBy: 'policy:never-here', message: 'Others’ notes stay as they are.' });
  }, 60_000);

  it('two of a group must approve, with a reason; the first vote waits, the second applies', async () => {
    const plan = await propose(await newSession(), 'overwrite_note', long);
    const operator = apiOf(gate, gate.state.demo.operatorKey);
    expect(await decide(operator, plan, { decision: 'approve', reason: 'fine' })).toMatchObject({ status: 403, code: 'FORBIDDEN' });
    expect(await decide(ann, plan, { decision: 'approve' })).toMatchObject({ status: 422, code: 'REASON_REQUIRED' });
    expect((await decide(ann, plan, { decision: 'approve', reason: 'seen' })).body).toMatchObject({ pending: { approvals: 1, quorum: 2 }, items: [{ decision: 'ask', votes: [{ principal: 'ann' }] }] });
    expect((await decide(ann, plan, { decision: 'approve', reason: 'seen' })).body).toMatchObject({ pending: { approvals: 1, quorum: 2 } });
    const done = await decide(ben, plan, { decision: 'approve', reason: 'seen too' });
    expect(done.body.items[0]).toMatchObject({ decision: 'allow', decidedBy: 'person:ben' });
    expect((await settled(plan.planId)).items[0]).toMatchObject({ outcome: 'applied' });
    expect(await decide(ann, plan, { decision: 'reject', reason: 'no' })).toMatchObject({ status: 409, code: 'ALREADY_RESOLVED' });
  }, 60_000);

  it('a correction is checked, judged again and told to the model; one call where nothing is previewed', async () => {
    const plan = await propose(await newSession(), 'write_note', long);
    const path = `/v1/plans/${plan.planId}/items/i1/correction`;
    const { itemDigest } = plan.items[0]!;
    expect(await ann('POST', path, { itemDigest, input: { name: 1 } })).toMatchObject({ status: 422, code: 'CORRECTED_INPUT_INVALID' });
    const corrected = await ann('POST', path, { itemDigest, input: { name: 'a', text: 'a better text' }, reason: 'say it better' });
    expect(corrected).toMatchObject({ status: 200, body: { confirmed: true } });
    const [item] = (await settled(plan.planId)).items;
    expect(item).toMatchObject({ outcome: 'applied', input: { text: 'a better text' }, original: { input: long }, corrections: [{ correction: 1, principal: 'ann', reason: 'say it better' }] });
    expect(item!.toolResult!.text).toMatch(/changed by|person/i);
  }, 60_000);

  it('an answer for the session covers the next call, survives a restart, and is revoked', async () => {
    const session = await newSession();
    const plan = await propose(session, 'write_note', long);
    const given = await decide(ann, plan, { decision: 'approve', scope: 'session' });
    expect(given.body.grantId).toBeDefined();
    expect((await propose(session, 'write_note', { name: 'b', text: 'another' })).items[0]).toMatchObject({ decision: 'allow', decidedBy: 'session:ann' });
    await gate.stop();
    await start();
    expect((await propose(session, 'write_note', { name: 'c', text: 'another' })).items[0]).toMatchObject({ decision: 'allow', decidedBy: 'session:ann' });
    expect((await propose(await newSession(), 'write_note', long)).items[0]).toMatchObject({ decision: 'ask' });
    expect((await admin('GET', `/v1/sessions/${session}/grants`)).body.grants).toMatchObject([{ provider: 'notes', operation: 'write_note', by: 'ann' }]);
    expect(await admin('POST', `/v1/sessions/${session}/grants/${given.body.grantId}/revoke`, {})).toMatchObject({ status: 200 });
    expect((await propose(session, 'write_note', { name: 'd', text: 'another' })).items[0]).toMatchObject({ decision: 'ask' });
  }, 120_000);

  it('an answer for always is a grant with hits; a newer explicit ask wins over it; revoked it is gone', async () => {
    const plan = await propose(await newSession(), 'write_note', long, 'other');
    const preview = await onceProjected(() => ann('POST', '/v1/grants/preview', { planId: plan.planId, itemId: 'i1' }));
    expect(preview.body).toMatchObject({ provider: 'other', operation: 'write_note', notComparable: 0 });
    const given = await decide(ann, plan, { decision: 'approve', scope: 'always', reason: 'notes of others may be written' });
    expect(given.status).toBe(200);
    const { grantId } = given.body;
    expect((await propose(await newSession(), 'write_note', long, 'other')).items[0]).toMatchObject({ decision: 'allow', decidedBy: `standing:${grantId}` });
    expect((await admin('GET', '/v1/grants')).body.grants).toMatchObject([{ grantId, author: 'ann', reason: 'notes of others may be written', origin: { plan: plan.planId, itemId: 'i1' } }]);
    const stricter = [...RULES, { id: 'others-again', match: { tool_name: 'write_note', provider: 'other' }, action: 'ask' }];
    await admin('POST', '/v1/policies', { rules: stricter });
    expect((await propose(await newSession(), 'write_note', long, 'other')).items[0]).toMatchObject({ decision: 'ask', decidedBy: 'policy:others-again' });
    expect(await admin('POST', '/v1/policies/rollback', {})).toMatchObject({ status: 200 });
    expect((await propose(await newSession(), 'write_note', long, 'other')).items[0]).toMatchObject({ decision: 'allow' });
    expect(await admin('POST', `/v1/grants/${grantId}/revoke`, { reason: 'enough' })).toMatchObject({ status: 200 });
    expect((await propose(await newSession(), 'write_note', long, 'other')).items[0]).toMatchObject({ decision: 'ask' });
  }, 60_000);

  it('guardrails hold over every grant, and only an admin changes them', async () => {
    const session = await newSession();
    await decide(ann, await propose(session, 'write_note', long), { decision: 'approve', scope: 'session' });
    const rules = [{ id: 'people-look', match: { tool_name: 'write_note' }, action: 'ask' }];
    expect(await ann('POST', '/v1/policies?layer=guardrails', { rules })).toMatchObject({ status: 403 });
    expect(await admin('POST', '/v1/policies?layer=guardrails', { rules })).toMatchObject({ status: 201 });
    const asked = await propose(session, 'write_note', { name: 'a', text: 'ab' });
    expect(asked.items[0]).toMatchObject({ decision: 'ask', decidedBy: 'guardrail:people-look', terms: { scopes: ['once'] } });
    expect(await decide(ann, asked, { decision: 'approve', scope: 'session' })).toMatchObject({ status: 409, code: 'SCOPE_NOT_OFFERED' });
    expect(await admin('POST', '/v1/policies?layer=guardrails', { rules: [] })).toMatchObject({ status: 201 });
  }, 60_000);

  it('a shadow bundle is evaluated and recorded without effect', async () => {
    expect((await admin('POST', '/v1/policies/shadow', { rules: [{ id: 'strict', match: {}, action: 'deny' }] })).status).toBeLessThan(300);
    const [item] = (await propose(await newSession(), 'write_note', { name: 'a', text: 'ab' }, 'notes', 'settled')).items;
    expect(item).toMatchObject({ decision: 'allow', outcome: 'applied', shadow: { decision: 'deny', decidedBy: 'policy:strict' } });
    expect((await admin('DELETE', '/v1/policies/shadow')).status).toBeLessThan(300);
  }, 60_000);

  it('the queue shows what waits, narrowed and paged, and the stream tells of its changes', async () => {
    const session = await newSession({ agent: 'queue' });
    const plans: PlanView[] = [];
    for (let index = 0; index < 5; index += 1) plans.push(await propose(session, 'write_note', { name: `q${index}`, text: 'a long text' }));
    const seen: string[] = [];
    for (let cursor: string | undefined, pages = 0; pages < 10; pages += 1) {
      const page = await waitForQueue(() => ann('GET', `/v1/approvals?agent=queue&limit=2${cursor ? `&cursor=${cursor}` : ''}`), plans.at(-1)!.sequence);
      seen.push(...(page.body as { rows: { planId: string }[] }).rows.map((row) => row.planId));
      cursor = (page.body as { nextCursor?: string }).nextCursor;
      if (!cursor) break;
    }
    expect(seen).toEqual(plans.map((plan) => plan.planId));
    expect((await ann('GET', '/v1/approvals?provider=other&agent=queue')).body.rows).toEqual([]);
    expect(await ann('GET', '/v1/approvals?risk=enormous')).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
  }, 60_000);

  /** The tables follow the log: asked again while they do not know the item. */
  const onceProjected = async (ask: () => Promise<Answer>): Promise<Answer> => {
    for (;;) {
      const answer = await ask();
      if (answer.code !== 'UNAVAILABLE') return answer;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  /** The tables follow the log: asked again until the answer reflects it. */
  const waitForQueue = async (ask: () => Promise<Answer>, sequence: number): Promise<Answer> => {
    for (;;) {
      const page = await ask();
      if (page.status !== 200 || page.body.reflects >= sequence) return page;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('webhooks tell of what is asked, answered and tripped, signed, without arguments', async () => {
    const hook = await admin('POST', '/v1/webhooks', { name: 'ops', url: outside.url });
    expect(hook.status).toBe(201);
    const plan = await propose(await newSession(), 'write_note', { name: 'secret-name', text: 'secret-text' });
    const asked = await outside.first(({ body, text }) => body.type === 'approval.asked' && text.includes(plan.planId));
    expect(asked.text).not.toContain('secret-text');
    const id = asked.headers['webhook-id'] as string;
    const timestamp = asked.headers['webhook-timestamp'] as string;
    const secret = Buffer.from(hook.body.secret.replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', secret).update(`${id}.${timestamp}.${asked.text}`).digest('base64');
    expect(asked.headers['webhook-signature']).toBe(`v1,${expected}`);
    await decide(ann, plan, { decision: 'reject', reason: 'not today' });
    await outside.first(({ body, text }) => body.type === 'approval.answered' && text.includes(plan.planId));
    expect((await settled(plan.planId)).items[0]!.toolResult).toMatchObject({ isError: true, text: expect.stringContaining('not today') });
  }, 60_000);

  it('a veto subscriber can only deny; silence and garbage deny too', async () => {
    const veto = await Outside.listen((request) => ({ items: (request.items as { itemId: string }[]).map(({ itemId }) => ({ itemId, decision: 'pass' })) }));
    try {
      expect((await admin('POST', '/v1/subscribers', { name: 'dlp', url: veto.url, deadlineMs: 1_000 })).status).toBe(201);
      const short = { name: 'a', text: 'ab' };
      expect((await propose(await newSession(), 'write_note', short)).items[0]).toMatchObject({ decision: 'allow' });
      veto.answers((request) => ({ items: (request.items as { itemId: string }[]).map(({ itemId }) => ({ itemId, decision: 'deny', message: 'leaks' })) }));
      expect((await propose(await newSession(), 'write_note', short)).items[0]).toMatchObject({ decision: 'deny', decidedBy: 'veto:dlp' });
      veto.answers(() => 'nonsense');
      expect((await propose(await newSession(), 'write_note', short)).items[0]).toMatchObject({ decision: 'deny', decidedBy: 'veto:dlp' });
      expect((await admin('DELETE', '/v1/subscribers/dlp')).status).toBeLessThan(300);
    } finally {
      await veto.close();
    }
  }, 60_000);

  it('five denials in a row trip the breaker: one final turn without tools, then the end', async () => {
    const session = await newSession();
    for (let index = 0; index < 5; index += 1) {
      expect((await propose(session, 'overwrite_note', { name: `n${index}`, text: 'x' }, 'other')).items[0]).toMatchObject({ decision: 'deny', decidedBy: 'policy:never-here' });
    }
    for (;;) {
      const { body } = await agent('GET', `/v1/sessions/${session}`);
      if (body.limitReached) {
        expect(body).toMatchObject({ status: 'open', limitReached: { cause: 'circuit_breaker' } });
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await agent('GET', `/v1/sessions/${session}/tools`)).body.tools).toEqual([]);
    expect((await propose(session, 'write_note', { name: 'a', text: 'ab' })).items[0]).toMatchObject({ decision: 'deny', decidedBy: 'breaker' });
    for (;;) {
      const { body } = await agent('GET', `/v1/sessions/${session}`);
      if (body.status === 'ended') {
        expect(body.endReason).toBe('limit_reached: circuit_breaker');
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await outside.first(({ body, text }) => body.type === 'session.tripped' && text.includes(session));
  }, 60_000);

  it('a freeze lets nothing be allowed or started until it is lifted', async () => {
    const frozen = await admin('POST', '/v1/freeze', { reason: 'incident', target: { provider: 'notes' } });
    expect(frozen.status).toBe(201);
    expect((await propose(await newSession(), 'write_note', { name: 'a', text: 'ab' })).items[0]).toMatchObject({ decision: 'deny', decidedBy: expect.stringMatching(/^freeze:/) });
    expect((await admin('DELETE', `/v1/freeze/${frozen.body.freezeId}`)).status).toBeLessThan(300);
    expect((await propose(await newSession(), 'write_note', { name: 'a', text: 'ab' })).items[0]).toMatchObject({ decision: 'allow' });
  }, 60_000);

  it('an ask expires by the log’s timer although every process was restarted meanwhile', async () => {
    await admin('POST', '/v1/policies', { rules: [{ id: 'soon', match: { tool_name: 'write_note' }, action: 'ask', ask: { expires_in: '8s' } }] });
    const plan = await propose(await newSession(), 'write_note', long);
    await gate.stop();
    await start();
    expect((await settled(plan.planId)).items[0]).toMatchObject({ decision: 'deny', decidedBy: 'expired' });
    expect(await decide(ann, plan, { decision: 'approve' })).toMatchObject({ status: 410, code: 'APPROVAL_EXPIRED' });
  }, 120_000);

  it('ends in a log and tables without a fault', async () => {
    expect(await fsck(gate.admin, gate.operator)).toMatchObject({ problems: [] });
  }, 60_000);
});
