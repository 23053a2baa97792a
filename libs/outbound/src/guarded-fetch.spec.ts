import { isGateError, type GateError } from '@countersign/kernel';
import { Outside } from '../test/outside.js';
import { guardedFetch, guardedFetchWith, type GuardedRequest } from './guarded-fetch.js';
import type { Address, Resolve } from './resolve.js';

const refusal = async (asked: Promise<unknown>): Promise<GateError> => {
  const error = await asked.then(() => undefined, (thrown: unknown) => thrown);
  if (!isGateError(error)) throw new Error(`not refused as a GateError: ${String(error)}`);
  return error;
};
const post = (url: string, more: Partial<GuardedRequest> = {}): GuardedRequest => ({ url, method: 'POST', body: '{}', deadlineMs: 5_000, maxBytes: 1_000, ...more });
const local = (url: string, more: Partial<GuardedRequest> = {}): GuardedRequest => post(url, { allowLoopback: true, ...more });
/** Names that have these addresses, one list a look-up. */
const names = (...answers: string[][]): { readonly resolve: Resolve; readonly asked: string[] } => {
  const asked: string[] = [];
  return { asked, resolve: async (host) => { asked.push(host); return (answers[asked.length - 1] ?? []).map((address): Address => ({ address, family: address.includes(':') ? 6 : 4 })); } };
};

describe('a call to an address that a tenant named', () => {
  let outside: Outside;
  beforeEach(async () => { outside = await Outside.listen(); });
  afterEach(() => outside.close());

  it('sends what it is told, and brings back status, headers and body', async () => {
    outside.reply = (response) => { response.writeHead(201, { 'x-said': 'yes' }); response.end('{"ok":true}'); };
    const answer = await guardedFetch(local(`${outside.url}/a/path?q=1`, { headers: { 'content-type': 'application/json' }, body: '{"a":"ä"}' }));
    expect([answer.status, answer.headers['x-said'], answer.body.toString()]).toEqual([201, 'yes', '{"ok":true}']);
    expect(outside.arrived).toMatchObject([{ method: 'POST', path: '/a/path?q=1', body: '{"a":"ä"}', headers: { 'content-type': 'application/json', host: `127.0.0.1:${outside.port}` } }]);
  });

  it.each([400, 404, 410, 500, 503])('brings back status %d as it is', async (status) => {
    outside.reply = (response) => { response.statusCode = status; response.end(); };
    expect((await guardedFetch(local(outside.url))).status).toBe(status);
  });

  describe('refuses with URL_NOT_ALLOWED', () => {
    it.each([
      'http://example.org/', 'http://127.0.0.1/', 'ftp://example.org/', 'file:///etc/passwd', 'gopher://127.0.0.1/', 'data:,x', 'not a url', '',
      'https://user@example.org/', 'https://user:word@example.org/', 'https://:word@example.org/',
      'https://127.0.0.1/', 'https://[::1]/', 'https://localhost/', 'https://some.localhost/', 'https://localhost./', 'https://0/', 'https://0.0.0.0/', 'https://2130706433/', 'https://0x7f.1/', 'https://017700000001/',
      'https://10.0.0.1/', 'https://192.168.0.1/', 'https://169.254.169.254/latest/meta-data/', 'https://[fe80::1]/', 'https://[fd00:ec2::254]/', 'https://[::ffff:127.0.0.1]/', 'https://[64:ff9b::7f00:1]/', 'https://[::]/',
    ])('%s', async (url) => expect((await refusal(guardedFetch(post(url)))).code).toBe('URL_NOT_ALLOWED'));

    it.each(['https://10.0.0.1/', 'http://10.0.0.1/', 'http://8.8.8.8/', 'http://169.254.169.254/', 'http://[::ffff:127.0.0.1]/', 'http://0.0.0.0/', 'http://a:b@127.0.0.1/'])('%s, also where this machine may be called', async (url) => {
      expect((await refusal(guardedFetch(local(url)))).code).toBe('URL_NOT_ALLOWED');
    });

    it.each([[['10.0.0.1']], [['8.8.8.8', '10.0.0.1']], [['2606:4700::1111', 'fe80::1']], [['127.0.0.1']], [['169.254.169.254']]])('a name that leads to %p', async (addresses) => {
      expect((await refusal(guardedFetchWith(names(addresses))(post('https://inside.example/')))).code).toBe('URL_NOT_ALLOWED');
    });

    it('a name over http that has an address beside this machine’s', async () => {
      expect((await refusal(guardedFetchWith(names(['127.0.0.1', '8.8.8.8']))(local(`http://both.example:${outside.port}/`)))).code).toBe('URL_NOT_ALLOWED');
      expect(outside.arrived).toEqual([]);
    });
  });

  it('looks a name up once, connects to the address that was checked, and looks again at the next call', async () => {
    const { resolve, asked } = names(['127.0.0.1'], ['10.0.0.1'], ['127.0.0.1', '169.254.169.254']);
    const fetch = guardedFetchWith({ resolve });
    const url = `http://rebind.example:${outside.port}/`;
    expect((await fetch(local(url))).status).toBe(200);
    expect(asked).toEqual(['rebind.example']);
    expect((await refusal(fetch(local(url)))).code).toBe('URL_NOT_ALLOWED');
    expect((await refusal(fetch(local(url)))).code).toBe('URL_NOT_ALLOWED');
    expect(outside.arrived).toHaveLength(1);
    expect(outside.arrived[0]!.headers.host).toBe(`rebind.example:${outside.port}`);
  });

  it.each([301, 302, 303, 307, 308, 304])('follows no redirect %d', async (status) => {
    const elsewhere = await Outside.listen();
    try {
      outside.reply = (response) => { response.writeHead(status, { location: `${elsewhere.url}/secret?token=1` }); response.end(); };
      const error = await refusal(guardedFetch(local(outside.url)));
      expect(error).toMatchObject({ code: 'UNAVAILABLE' });
      expect(error.message).not.toContain('token');
      expect(elsewhere.arrived).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('reads no more than it may', async () => {
    outside.reply = (response) => { response.end('x'.repeat(1_001)); };
    expect(await refusal(guardedFetch(local(outside.url)))).toMatchObject({ code: 'UNAVAILABLE', message: expect.stringContaining('more than 1000 bytes') });
    outside.reply = (response) => { response.end('x'.repeat(1_000)); };
    expect((await guardedFetch(local(outside.url))).body).toHaveLength(1_000);
  });

  it('is not held by a body that never ends', async () => {
    outside.reply = (response) => { const pour = (): void => { if (!response.destroyed && response.write('x'.repeat(500))) setImmediate(pour); }; response.on('drain', pour); pour(); };
    expect((await refusal(guardedFetch(local(outside.url)))).code).toBe('UNAVAILABLE');
  });

  it('takes the status alone where the body is not wanted', async () => {
    outside.reply = (response) => { response.writeHead(200); response.write('x'.repeat(5_000)); };
    expect(await guardedFetch(local(outside.url, { maxBytes: 0 }))).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  it.each<[string, (response: Parameters<Outside['reply']>[0]) => void]>([
    ['says nothing', () => {}],
    ['stops after its headers', (response) => { response.writeHead(200, { 'content-length': '10' }); response.write('x'); }],
    ['drips', (response) => { response.writeHead(200); const drip = setInterval(() => response.write('x'), 20); response.on('close', () => clearInterval(drip)); }],
  ])('is over at its deadline when the other side %s', async (_what, reply) => {
    outside.reply = reply;
    expect(await refusal(guardedFetch(local(`${outside.url}/path?token=1`, { deadlineMs: 200, maxBytes: 1_000_000 })))).toMatchObject({ code: 'TIMEOUT', message: `${outside.url} did not answer within 200 ms` });
  });

  it('counts the look-up of the name into the deadline', async () => {
    const fetch = guardedFetchWith({ resolve: () => new Promise(() => {}) });
    expect((await refusal(fetch(post('https://slow.example/', { deadlineMs: 50 })))).code).toBe('TIMEOUT');
  });

  it.each<[string, (response: Parameters<Outside['reply']>[0]) => void]>([
    ['is cut in the middle of the body', (response) => { response.writeHead(200, { 'content-length': '100' }); response.write('{"half":'); setImmediate(() => response.destroy()); }],
    ['is cut before any header', (response) => { response.destroy(); }],
    ['is no HTTP', (response) => { response.socket!.end('SSH-2.0-OpenSSH\r\n'); }],
    ['is half closed', (response) => { response.socket!.end(); }],
  ])('is UNAVAILABLE when the answer %s', async (_what, reply) => {
    outside.reply = reply;
    expect((await refusal(guardedFetch(local(outside.url)))).code).toBe('UNAVAILABLE');
  });

  it('is UNAVAILABLE when nobody listens or the name has no address', async () => {
    const { url } = outside;
    await outside.close();
    expect(await refusal(guardedFetch(local(`${url}/path?token=1`)))).toMatchObject({ code: 'UNAVAILABLE', message: `${url} could not be called: ECONNREFUSED` });
    expect((await refusal(guardedFetchWith(names())(post('https://nowhere.example/')))).code).toBe('UNAVAILABLE');
    const failing = guardedFetchWith({ resolve: () => Promise.reject(new Error('SERVFAIL')) });
    expect((await refusal(failing(post('https://nowhere.example/')))).code).toBe('UNAVAILABLE');
    outside = await Outside.listen();
  });

  it('is given up when its caller says so', async () => {
    const ending = new AbortController();
    outside.reply = () => ending.abort();
    expect((await refusal(guardedFetch(local(outside.url, { signal: ending.signal })))).code).toBe('UNAVAILABLE');
    expect((await refusal(guardedFetch(local(outside.url, { signal: AbortSignal.abort() })))).code).toBe('UNAVAILABLE');
    expect(outside.arrived).toHaveLength(1);
  });

  it('uses no proxy of the environment', async () => {
    const proxy = await Outside.listen();
    const before = { ...process.env };
    Object.assign(process.env, { HTTP_PROXY: proxy.url, http_proxy: proxy.url, HTTPS_PROXY: proxy.url, ALL_PROXY: proxy.url, NODE_USE_ENV_PROXY: '1', NO_PROXY: '' });
    try {
      expect((await guardedFetch(local(outside.url))).status).toBe(200);
      expect([outside.arrived.length, proxy.arrived.length]).toEqual([1, 0]);
    } finally {
      process.env = before;
      await proxy.close();
    }
  });

  it('leaves no socket open', async () => {
    await guardedFetch(local(outside.url));
    await refusal(guardedFetch(local(outside.url, { maxBytes: 1 })));
    await new Promise<void>((resolve) => { const look = (): void => (outside.open === 0 ? resolve() : void setImmediate(look)); look(); });
    expect(outside.open).toBe(0);
  });
});
