import { LIMITS, type VetoSubscriber } from '@countersign/contracts';
import { Outside, type Arrived } from '../test/outside.js';
import { askVeto, type VetoItem, type VetoRequest } from './ask-veto.js';
import { endpointSecret } from './endpoint-secret.js';
import { verifyWebhook } from './sign-webhook.js';

const secret = endpointSecret(Buffer.alloc(32, 1).toString('base64'), { tenant: 'acme', kind: 'veto', name: 'dlp', version: 1 });
const item = (itemId: string, more: Partial<VetoItem> = {}): VetoItem => ({ itemId, provider: 'notes', operation: 'write', kind: 'resource', risk: 'moderate', inputDigest: 'd1', input: { text: 'hello' }, ...more });
const request = (...items: VetoItem[]): VetoRequest => ({ plan: 's0123456789-p0123456789', round: 2, tenant: 'acme', session: 's0123456789', agent: 'writer', items });

describe('a veto subscriber', () => {
  let outside: Outside;
  const subscriber = (more: Partial<VetoSubscriber> = {}): VetoSubscriber => ({ name: 'dlp', url: `${outside.url}/check?key=topsecret`, deadlineMs: 5_000, secretVersion: 1, ...more });
  const answer = (body: unknown): void => { outside.reply = (response) => { response.end(typeof body === 'string' ? body : JSON.stringify(body)); }; };
  const ask = (asked = request(item('i1'), item('i2')), more: Partial<VetoSubscriber> = {}) => askVeto(subscriber(more), asked, { secret, allowLoopback: true });
  const says = async (...args: Parameters<typeof ask>): Promise<string[]> => (await ask(...args)).map((one) => one.says);
  beforeEach(async () => { outside = await Outside.listen(); });
  afterEach(() => outside.close());

  it('is asked once for a round, signed, and answers about each item', async () => {
    answer({ items: [{ itemId: 'i2', decision: 'deny', message: 'leaks' }, { itemId: 'i1', decision: 'pass' }] });
    expect(await ask()).toEqual([
      { subscriber: 'dlp', itemId: 'i1', says: 'pass', tookMs: expect.any(Number) },
      { subscriber: 'dlp', itemId: 'i2', says: 'deny', message: 'leaks', tookMs: expect.any(Number) },
    ]);
    const [{ method, headers, body }] = outside.arrived as [Arrived];
    expect([method, headers['content-type'], headers['webhook-id']]).toEqual(['POST', 'application/json', 'veto_s0123456789-p0123456789_2_dlp']);
    expect(verifyWebhook(secret, headers, body, Date.now() / 1_000)).toBe(true);
    expect(JSON.parse(body)).toEqual(request(item('i1'), item('i2')));
  });

  it.each<[string, unknown]>([
    ['nothing', ''], ['no JSON', 'nonsense'], ['a text', '"pass"'], ['null', 'null'], ['a list', '[]'], ['no items', '{}'], ['items that are no list', '{"items":{}}'],
    ['an unknown decision', { items: [{ itemId: 'i1', decision: 'allow' }, { itemId: 'i2', decision: 'pass' }] }],
    ['an entry that is none', { items: [{ itemId: 'i1', decision: 'pass' }, 'i2'] }],
    ['a message that is no text', { items: [{ itemId: 'i1', decision: 'pass', message: {} }] }],
    ['an item that nobody asked about', { items: [{ itemId: 'i1', decision: 'pass' }, { itemId: 'i2', decision: 'pass' }, { itemId: 'i3', decision: 'pass' }] }],
    ['an item twice', { items: [{ itemId: 'i1', decision: 'deny' }, { itemId: 'i1', decision: 'pass' }, { itemId: 'i2', decision: 'pass' }] }],
    ['half an answer', '{"items":[{"itemId":"i1","decision":"pass"}'],
    ['more than it may', JSON.stringify({ items: [{ itemId: 'i1', decision: 'pass', message: 'x'.repeat(LIMITS.vetoAnswerBytes) }, { itemId: 'i2', decision: 'pass' }] })],
  ])('that answers %s has said nothing of any item', async (_what, body) => {
    answer(body);
    expect(await says()).toEqual(['failed', 'failed']);
  });

  it('that leaves an item out has said nothing of it', async () => {
    answer({ items: [{ itemId: 'i2', decision: 'pass' }] });
    expect(await says()).toEqual(['failed', 'pass']);
  });

  it.each([201, 204, 302, 400, 401, 410, 500, 503])('that answers with status %d counts by its body only where that is a success', async (status) => {
    outside.reply = (response) => { response.statusCode = status; response.end(JSON.stringify({ items: [{ itemId: 'i1', decision: 'pass' }] })); };
    expect(await says(request(item('i1')))).toEqual([status === 201 ? 'pass' : 'failed']);
  });

  it('that is too late has failed, and what is said of it holds no secret of its address', async () => {
    outside.reply = () => {};
    const [said] = await ask(request(item('i1')), { deadlineMs: 100 });
    expect(said).toMatchObject({ says: 'failed', message: `${outside.url} did not answer within 100 ms` });
  });

  it('that cannot be reached, or may not be called, has failed', async () => {
    expect(await says(request(item('i1')), { url: 'https://10.0.0.1/' })).toEqual(['failed']);
    expect(await says(request(item('i1')), { url: 'http://example.org/' })).toEqual(['failed']);
    expect((await askVeto(subscriber(), request(item('i1')), { secret, allowLoopback: false }))[0]!.says).toBe('failed');
    expect(outside.arrived).toEqual([]);
  });

  it('is given up when the caller says so', async () => {
    const ending = new AbortController();
    outside.reply = () => ending.abort();
    expect((await askVeto(subscriber(), request(item('i1')), { secret, allowLoopback: true, signal: ending.signal }))[0]!.says).toBe('failed');
  });

  it('gets inputs as far as they fit, and is told which do not', async () => {
    answer({ items: [] });
    await ask(request(item('i1', { input: { text: 'x'.repeat(LIMITS.vetoRequestBytes) } }), item('i2'), item('i3', { input: undefined })));
    const { items } = JSON.parse(outside.arrived[0]!.body) as { items: object[] };
    expect(items.map((one) => ['input' in one, 'inputOmitted' in one])).toEqual([[false, true], [true, false], [false, false]]);
  });

  it('may say something at length; it is cut', async () => {
    answer({ items: [{ itemId: 'i1', decision: 'deny', message: 'x'.repeat(2_000) }] });
    expect((await ask(request(item('i1'))))[0]!.message).toHaveLength(300);
  });
});
