import { LIMITS, type Webhook } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { endpointSecret, verifyWebhook, type GuardedRequest, type GuardedResponse } from '@countersign/outbound';
import { GivenUp, type Delivery, type LogMessage } from '@countersign/transport-jetstream';
import { webhook } from '../spec-support/facts.js';
import { Deliver } from './deliver.js';

const outboundKey = Buffer.alloc(32, 3).toString('base64');
const NOTICE = JSON.stringify({ type: 'approval.asked', timestamp: '2026-03-01T10:00:00.000Z', data: { tenant: 'acme', session: 's', plan: 'p', links: {}, items: [] } });
const BEGAN = Date.parse('2026-03-01T10:00:00Z');
const message = (sequence = 1, name = 'ops', tenant = 'acme'): LogMessage => ({ stream: 'OUTBOX', sequence, subject: `outbox.notifier.${tenant}.${name}.GATE.${sequence + 100}`, data: Buffer.from(NOTICE) });
const delivery = (of: LogMessage, deliveries = 1): Delivery => ({ ...of, message: of, deliveries, signal: new AbortController().signal, leaseLeftMs: () => 10_000, working: () => {} });
const answer = (status: number): GuardedResponse => ({ status, headers: {}, body: Buffer.alloc(0) });

function deliverer(answers: (request: GuardedRequest) => Promise<GuardedResponse> | GuardedResponse) {
  const requests: GuardedRequest[] = [];
  const registered = new Map<string, Webhook>([['ops', webhook()]]);
  let at = BEGAN;
  const deliver = new Deliver({
    outboundKey, now: () => new Date(at), logger: { info: () => {}, warn: () => {}, error: () => {} },
    webhooks: { of: async (tenant) => ({ webhooks: registered, allowLoopback: tenant === 'acme' }) },
    fetch: async (request) => { requests.push(request); return answers(request); },
  });
  return {
    requests, registered, now: (): number => at / 1_000, passes: (ms: number): void => { at += ms; }, passed: (): number => at - BEGAN,
    run: (of = message(), deliveries = 1) => deliver.handle(of, delivery(of, deliveries)),
  };
}
const givenUp = async (run: Promise<unknown>): Promise<string> => {
  const error = await run.then(() => undefined, (thrown: unknown) => thrown);
  if (!(error instanceof GivenUp)) throw new Error(`not given up: ${String(error)}`);
  return error.message;
};

describe('a delivery', () => {
  it('is posted as Standard Webhooks says, with the secret of its webhook', async () => {
    const under = deliverer(() => answer(204));
    expect(await under.run()).toBeUndefined();
    const [{ url, method, headers, body, deadlineMs, maxBytes, allowLoopback }] = under.requests as [GuardedRequest];
    expect([url, method, deadlineMs, maxBytes, allowLoopback]).toEqual(['https://hooks.example/in', 'POST', LIMITS.webhookTimeoutMs, 0, true]);
    expect(headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'msg_GATE_101', 'webhook-timestamp': String(under.now()) });
    const secret = endpointSecret(outboundKey, { tenant: 'acme', kind: 'webhook', name: 'ops', version: 1 });
    expect(verifyWebhook(secret, headers!, body!, under.now())).toBe(true);
    expect(body).toBe(NOTICE);
  });

  it.each<[string, () => GuardedResponse]>([
    ['a status that is no success', () => answer(500)], ['not found', () => answer(404)],
    ['no answer in time', () => { throw new GateError('TIMEOUT'); }], ['an address that is not called', () => { throw new GateError('URL_NOT_ALLOWED'); }],
  ])('is tried again after %s, under the same id and with growing pauses for half a day, and is a dead letter then', async (_what, answers) => {
    const under = deliverer(answers);
    const pauses: number[] = [];
    for (let tried = 1; under.passed() < LIMITS.webhookRetriesMs; tried += 1) {
      const { retryInMs } = await under.run(message(), tried) as { retryInMs: number };
      pauses.push(retryInMs / 1_000);
      under.passes(retryInMs);
    }
    expect(pauses.slice(0, 12)).toEqual([2, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024, 2_048]);
    expect(new Set(pauses.slice(12))).toEqual(new Set([3_600]));
    expect(await givenUp(under.run(message(), pauses.length + 1))).toContain('tried for 12 hours');
    expect(new Set(under.requests.map(({ headers }) => headers!['webhook-id']))).toEqual(new Set(['msg_GATE_101']));
    expect(new Set(under.requests.map(({ headers }) => headers!['webhook-timestamp'])).size).toBe(pauses.length + 1);
  });

  it('goes on where it was after a restart, or in another process', async () => {
    const [before, after] = [deliverer(() => answer(500)), deliverer(() => answer(500))];
    before.passes(600_000);
    after.passes(600_000);
    expect(await before.run(message(), 10)).toEqual({ retryInMs: 600_000 });
    expect(await after.run(message(), 11)).toEqual({ retryInMs: 600_000 });
  });

  it('that was long on its way has a second try as well', async () => {
    const under = deliverer(() => answer(500));
    under.passes(LIMITS.webhookRetriesMs * 2);
    expect(await under.run()).toEqual({ retryInMs: 2_000 });
    expect(await givenUp(under.run(message(), 2))).toContain('tried for 12 hours');
  });

  it('is not tried again where the receiver says that it is gone', async () => {
    const under = deliverer(() => answer(410));
    expect(await givenUp(under.run())).toContain('gone (410)');
    expect(under.requests).toHaveLength(1);
  });

  it('is dropped when its webhook was removed', async () => {
    const under = deliverer(() => answer(200));
    under.registered.clear();
    expect(await under.run()).toBeUndefined();
    expect(under.requests).toEqual([]);
  });

  it('goes to where its webhook is now, in the format it has now', async () => {
    const under = deliverer(() => answer(200));
    under.registered.set('ops', webhook({ url: 'https://elsewhere.example/', format: 'slack', secretVersion: 2 }));
    await under.run();
    const [{ url, headers, body }] = under.requests as [GuardedRequest];
    expect(url).toBe('https://elsewhere.example/');
    expect(JSON.parse(body!)).toHaveProperty('blocks');
    expect(verifyWebhook(endpointSecret(outboundKey, { tenant: 'acme', kind: 'webhook', name: 'ops', version: 2 }), headers!, body!, under.now())).toBe(true);
  });

  it('that a person has tried again from its dead letter is tried once, and says how it went', async () => {
    const under = deliverer(() => answer(500));
    expect(await givenUp(under.run(message(), LIMITS.outboxMaxDeliver + 1))).toContain('status 500');
  });

  it('leaves the fault of a part of ours to the transport', async () => {
    const under = deliverer(() => { throw new TypeError('ours'); });
    await expect(under.run()).rejects.toThrow(TypeError);
  });
});

describe('a slow receiver', () => {
  it('has four deliveries under way; the rest is given back, and other webhooks and tenants go on', async () => {
    const hanging: (() => void)[] = [];
    const under = deliverer(({ url }) => (url.includes('slow') ? new Promise((resolve) => { hanging.push(() => resolve(answer(200))); }) : answer(200)));
    under.registered.set('slow', webhook({ name: 'slow', url: 'https://slow.example/' }));
    const running = [1, 2, 3, 4].map((sequence) => under.run(message(sequence, 'slow')));
    expect(await under.run(message(5, 'slow'))).toEqual({ retryInMs: expect.any(Number) });
    expect(await under.run(message(6, 'ops'))).toBeUndefined();
    expect(await under.run(message(7, 'ops', 'other'))).toBeUndefined();
    for (const end of hanging.splice(0)) end();
    expect(await Promise.all(running)).toEqual([undefined, undefined, undefined, undefined]);
    const fifth = under.run(message(5, 'slow'));
    await new Promise((resolve) => setImmediate(resolve));
    hanging.forEach((end) => end());
    expect(await fifth).toBeUndefined();
  });

  it('leaves a tenant with many of them sixteen places in all', async () => {
    const under = deliverer(() => new Promise(() => {}));
    for (let name = 0; name < 10; name += 1) under.registered.set(`w${name}`, webhook({ name: `w${name}` }));
    let waits = 0;
    for (let sequence = 1; sequence <= 40; sequence += 1) void under.run(message(sequence, `w${sequence % 10}`)).then(() => { waits += 1; });
    await new Promise((resolve) => setImmediate(resolve));
    expect([under.requests.length, waits]).toEqual([16, 24]);
    void under.run(message(41, 'ops', 'other'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(under.requests).toHaveLength(17);
  });

  it('has no more than a bounded number wait for it; what comes on top is a dead letter', async () => {
    const under = deliverer(() => new Promise(() => {}));
    for (let sequence = 1; sequence <= 4; sequence += 1) void under.run(message(sequence));
    await new Promise((resolve) => setImmediate(resolve));
    const waits: unknown[] = [];
    for (let sequence = 5; sequence < 5 + LIMITS.webhookWaiting; sequence += 1) waits.push(await under.run(message(sequence)));
    expect(waits.every((wait) => (wait as { retryInMs: number }).retryInMs > 0)).toBe(true);
    expect(await givenUp(under.run(message(9_999)))).toContain('too many deliveries wait');
    expect(await under.run(message(5))).toHaveProperty('retryInMs');
  });
});
