import { LIMITS } from '@countersign/contracts';
import { endpointSecret, verifyWebhook } from '@countersign/outbound';
import { planFacts } from '@countersign/testkit';
import { gateOf, until } from './spec-support/broker.js';
import { T0 } from './spec-support/facts.js';
import { Receiver } from './spec-support/receiver.js';

const outboundKey = Buffer.alloc(32, 5).toString('base64');
const secretOf = (tenant: string): string => endpointSecret(outboundKey, { tenant, kind: 'webhook', name: 'ops', version: 1 });
const context = { tenant: 'acme', principal: 'ada', correlationId: 'r2' };

describe('the notifier as a service, in its own account', () => {
  let gate: Awaited<ReturnType<typeof gateOf>>;
  const receivers: Receiver[] = [];
  const receiver = async (reply?: Receiver['reply']): Promise<Receiver> => {
    const one = await Receiver.listen(reply);
    receivers.push(one);
    return one;
  };
  beforeEach(async () => { gate = await gateOf(outboundKey); }, 60_000);
  afterEach(async () => {
    for (const one of receivers.splice(0)) await one.close();
    await gate.stop();
  }, 60_000);

  it('has a delivery arrive, signed and under one id, although it fails twice and the notifier is another one in between', async () => {
    const ops = await receiver((response, count) => { response.statusCode = count <= 2 ? 500 : 200; response.end(); });
    await gate.tenant('acme', { url: ops.url });
    const first = await gate.start();
    const plan = await gate.asked('acme', 1);
    await ops.count(1);
    await first.close();
    await gate.start();
    await ops.count(3);
    await gate.delivered();

    expect(ops.arrived).toHaveLength(3);
    for (const { headers, text } of ops.arrived) expect(verifyWebhook(secretOf('acme'), headers, text, Date.now() / 1_000)).toBe(true);
    expect(new Set(ops.arrived.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(ops.arrived.map(({ text }) => text)).size).toBe(1);
    expect(ops.arrived[2]!.notice).toMatchObject({ type: 'approval.asked', data: { tenant: 'acme', plan, items: [{ itemId: 'i1', operation: 'write', links: { item: `https://gate.example/v1/plans/${plan}/items/i1` } }] } });
    expect(await gate.office.list()).toEqual([]);
  }, 60_000);

  it('tells of what was asked, answered, expired and tripped once each, with two processes, and also when the whole log comes again', async () => {
    const ops = await receiver();
    const chat = await receiver();
    await gate.tenant('acme', { url: ops.url }, { name: 'chat', url: chat.url, events: ['tripped'], format: 'slack' });
    await Promise.all([gate.start(), gate.start()]);
    const plans = [await gate.asked('acme', 1), await gate.asked('acme', 2)];
    await gate.plan('acme', plans[0]!, planFacts.answered(planFacts.answer('i1', 'approve', { principal: 'ann' })));
    await gate.plan('acme', plans[1]!, planFacts.itemsExpired(1_800, 'i1'));
    await gate.session('acme', { type: 'session.Opened', data: { agent: 'coder', profile: 'default', kind: 'chat', openedBy: 'agent', requestDigest: 'x', at: T0 } });
    await gate.session('acme', { type: 'session.LimitReached', data: { cause: 'circuit_breaker', detail: '5 denials in a row', items: [{ plan: plans[1]!, itemId: 'i1' }], endsAt: planFacts.at(300), at: T0 } });
    await ops.count(5);
    await chat.count(1);
    await gate.again();
    await gate.delivered();

    const kinds = ops.arrived.map(({ notice: { type, data } }) => `${type} ${data.plan === undefined ? 'session' : plans.indexOf(data.plan)}`).sort();
    expect(kinds).toEqual(['approval.answered 0', 'approval.asked 0', 'approval.asked 1', 'approval.expired 1', 'session.tripped session']);
    expect(chat.arrived).toHaveLength(1);
    expect(JSON.parse(chat.arrived[0]!.text)).toMatchObject({ text: expect.stringContaining('A session has come to its limit'), blocks: expect.any(Array) });
    expect(await gate.deliveries()).toBe(6);
  }, 60_000);

  it('makes a dead letter of what nobody takes any more; retried once somebody does, it arrives under the same id', async () => {
    const ops = await receiver((response, count) => { response.statusCode = count === 1 ? 410 : count === 2 ? 503 : 200; response.end(); });
    await gate.tenant('acme', { url: ops.url });
    await gate.start();
    await gate.asked('acme', 1);
    await until(async () => (await gate.office.list()).length === 1);
    const [letter] = await gate.office.list();
    expect(letter).toMatchObject({ service: 'notifier', stream: 'OUTBOX', sequence: 1, kind: 'failed', reason: expect.stringMatching(/webhook ops was not told of GATE:\d+: it answers that it is gone/) });
    expect(letter!.reason).not.toContain('/hook');

    await expect(gate.office.retry('notifier', 'OUTBOX', 1, context)).rejects.toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('status 503') });
    await gate.office.retry('notifier', 'OUTBOX', 1, context);
    expect(await gate.office.list()).toMatchObject([{ sequence: 1, retries: 2, resolvedAt: expect.any(String) }]);
    expect(new Set(ops.arrived.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(ops.arrived).toHaveLength(3);
  }, 60_000);

  it('delivers to one tenant at once while the receivers of another hang, and gives those no more than their places', async () => {
    const hanging = await receiver(() => {});
    const ops = await receiver();
    await gate.tenant('slow', { url: hanging.url });
    await gate.tenant('acme', { url: ops.url });
    const slow = 2 * LIMITS.webhookInFlight;
    for (let number = 1; number <= slow; number += 1) await gate.asked('slow', number);
    await gate.start();
    await hanging.count(LIMITS.webhookInFlight);
    await gate.told();
    const began = performance.now();
    for (let number = slow + 1; number <= slow + 20; number += 1) await gate.asked('acme', number);
    await ops.count(20);
    expect(performance.now() - began).toBeLessThan(LIMITS.webhookTimeoutMs / 2);
    expect(hanging.arrived).toHaveLength(LIMITS.webhookInFlight);
  }, 60_000);
});
