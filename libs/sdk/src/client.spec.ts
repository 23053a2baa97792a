import type { CountersignClient } from './index.js';
import { startStubGate, type StubGate } from '../test/stub-gate.js';

type Call = (client: CountersignClient) => Promise<unknown>;
const rules = { rules: [] };
const digest = 'a'.repeat(64);
const settings = { breaker: { consecutive: 1, count: 2, windowMs: 3_000 }, doomLoop: { repeats: 3, within: 8 }, bypassPermissions: false, standingGrants: true, unfreezeBySecondPerson: false };

describe('each method asks its own route', () => {
  let gate: StubGate;
  beforeAll(async () => { gate = await startStubGate(); });
  afterAll(() => gate.stop());

  const asked = async (call: Call) => {
    await call(gate.client);
    const { method, path, body } = gate.received.at(-1)!;
    return [`${method} ${path}`, body === '' ? undefined : JSON.parse(body) as unknown];
  };

  it.each<[string, Call, unknown?]>([
    ['GET /v1/policies', (c) => c.policy()],
    ['GET /v1/policies?layer=guardrails', (c) => c.policy('guardrails')],
    ['POST /v1/policies', (c) => c.activatePolicy({ digest }), { digest }],
    ['POST /v1/policies?layer=guardrails', (c) => c.activatePolicy(rules, 'guardrails'), rules],
    ['POST /v1/policies/push?layer=rules', (c) => c.pushPolicy(rules, 'rules'), rules],
    ['POST /v1/policies/rollback', (c) => c.rollBackPolicy(), {}],
    ['POST /v1/policies/rollback?layer=guardrails', (c) => c.rollBackPolicy({ version: 3, layer: 'guardrails' }), { version: 3 }],
    ['GET /v1/policies/history?layer=rules', (c) => c.policyHistory('rules')],
    ['GET /v1/policies/versions/2', (c) => c.policyVersion(2)],
    ['GET /v1/policies/diff?from=0&to=2', (c) => c.policyDiff(0, 2)],
    ['GET /v1/policies/shadow', (c) => c.shadowPolicy()],
    ['POST /v1/policies/shadow', (c) => c.chooseShadowPolicy({ digest }), { digest }],
    ['DELETE /v1/policies/shadow', (c) => c.dropShadowPolicy()],
    ['POST /v1/policies/simulate', (c) => c.simulate({ call: { provider: 'p', operation: 'o' } }), { call: { provider: 'p', operation: 'o' } }],
    ['GET /v1/plans/p1/items/i1/explain', (c) => c.explain('p1', 'i1')],
    ['GET /v1/plans/p1/items/i1', (c) => c.planItem('p1', 'i1')],
    ['POST /v1/plans/p1/items/i1/decision', (c) => c.decide('p1', 'i1', { decision: 'approve', itemDigest: digest, scope: 'always', narrow: { kind: 'host', field: '/url', host: 'a.example' }, grantExpiresAt: '7d' }), { decision: 'approve', itemDigest: digest, scope: 'always', narrow: { kind: 'host', field: '/url', host: 'a.example' }, grantExpiresAt: '7d' }],
    ['POST /v1/plans/p1/items/i1/correction', (c) => c.correct('p1', 'i1', { itemDigest: digest, input: { a: 1 }, confirm: false }), { itemDigest: digest, input: { a: 1 }, confirm: false }],
    ['GET /v1/approvals?mine=true&risk=high&olderThan=30m&limit=5&cursor=c', (c) => c.approvals({ mine: true, risk: 'high', olderThan: '30m', limit: 5, cursor: 'c' })],
    ['GET /v1/grants?status=expired&limit=5', (c) => c.grants({ status: 'expired', limit: 5 })],
    ['GET /v1/grants/g%2F1', (c) => c.grant('g/1')],
    ['POST /v1/grants/g1/revoke', (c) => c.revokeGrant('g1', 'no longer'), { reason: 'no longer' }],
    ['POST /v1/grants/preview', (c) => c.previewGrant({ planId: 'p1', itemId: 'i1' }), { planId: 'p1', itemId: 'i1' }],
    ['GET /v1/sessions/s1/grants', (c) => c.sessionGrants('s1')],
    ['POST /v1/sessions/s1/grants/g1/revoke', (c) => c.revokeSessionGrant('s1', 'g1')],
    ['GET /v1/settings', (c) => c.settings()],
    ['PUT /v1/settings', (c) => c.changeSettings(settings), settings],
    ['GET /v1/webhooks', (c) => c.webhooks()],
    ['POST /v1/webhooks', (c) => c.registerWebhook({ name: 'w', url: 'https://h.example', format: 'slack' }), { name: 'w', url: 'https://h.example', format: 'slack' }],
    ['DELETE /v1/webhooks/w', (c) => c.removeWebhook('w')],
    ['GET /v1/subscribers', (c) => c.subscribers()],
    ['POST /v1/subscribers', (c) => c.registerSubscriber({ name: 'v', url: 'https://h.example', deadlineMs: 500 }), { name: 'v', url: 'https://h.example', deadlineMs: 500 }],
    ['DELETE /v1/subscribers/v', (c) => c.removeSubscriber('v')],
    ['POST /v1/freeze', (c) => c.freeze({ reason: 'stop' }), { reason: 'stop' }],
    ['GET /v1/freeze', (c) => c.freezes()],
    ['DELETE /v1/freeze/f1', (c) => c.unfreeze('f1')],
  ])('%s', async (...[route, call, body]) => { // by the rest: jest takes a parameter that a row does not fill for its callback
    expect(await asked(call)).toEqual([route, body]);
  });

  it.each<[string, Call]>([
    ['POST /v1/policies', (c) => c.activatePolicy('rules: []')],
    ['POST /v1/policies/push', (c) => c.pushPolicy('rules: []')],
    ['POST /v1/policies/shadow', (c) => c.chooseShadowPolicy('rules: []')],
    ['POST /v1/policies/lint', (c) => c.lintPolicy('rules: []')],
  ])('%s takes a bundle as its author wrote it', async (route, call) => {
    await call(gate.client);
    const { method, path, type, body } = gate.received.at(-1)!;
    expect([`${method} ${path}`, type, body]).toEqual([route, 'application/yaml', 'rules: []']);
  });

  it('names what is made once by the idempotency key', async () => {
    await gate.client.freeze({ reason: 'stop' }, 'once');
    expect(gate.received.at(-1)!.idempotencyKey).toBe('once');
  });
});

it('reads all pages of the queue, and none that nobody wants', async () => {
  const gate = await startStubGate(({ path }, response) => {
    const cursor = new URL(path, 'http://x').searchParams.get('cursor');
    response.end(JSON.stringify(cursor === null ? { rows: [{ itemId: 'i1' }, { itemId: 'i2' }], nextCursor: 'next', reflects: 1 } : { rows: [{ itemId: 'i3' }], reflects: 1 }));
  });
  const read: string[] = [];
  for await (const { itemId } of gate.client.eachApproval({ provider: 'files' })) read.push(itemId);
  expect(read).toEqual(['i1', 'i2', 'i3']);
  expect(gate.received.map(({ path }) => path)).toEqual(['/v1/approvals?provider=files', '/v1/approvals?provider=files&cursor=next']);
  for await (const _ of gate.client.eachApproval()) break;
  expect(gate.received).toHaveLength(3);
  await gate.stop();
});

it('throws what the gate refuses with', async () => {
  const gate = await startStubGate((_, response) => {
    response.writeHead(409, { 'content-type': 'application/problem+json' });
    response.end(JSON.stringify({ type: 'urn:countersign:error:ITEM_CHANGED', title: 't', status: 409, code: 'ITEM_CHANGED', detail: 'It has changed', correlationId: 'c1', details: { itemDigest: digest } }));
  });
  await expect(gate.client.decide('p1', 'i1', { decision: 'reject', itemDigest: digest })).rejects.toMatchObject({ code: 'ITEM_CHANGED', status: 409, message: 'It has changed', correlationId: 'c1', details: { itemDigest: digest } });
  await gate.stop();
});
