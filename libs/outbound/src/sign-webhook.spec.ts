import { createHmac } from 'node:crypto';
import { endpointSecret } from './endpoint-secret.js';
import { signWebhook, verifyWebhook } from './sign-webhook.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const NOW = 1_790_000_000;
const of = { tenant: 'acme', kind: 'webhook', name: 'ops', version: 1 } as const;

describe('a signature', () => {
  const secret = endpointSecret(KEY, of);
  const message = { id: 'msg_1', timestamp: NOW, body: '{"a":"ä"}' };

  it('is that of Standard Webhooks', () => {
    // the example of the specification's reference libraries
    expect(signWebhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' })).toEqual({
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek', 'webhook-timestamp': '1614265330', 'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    });
    const expected = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64')).update(`msg_1.${NOW}.${message.body}`).digest('base64');
    expect(signWebhook(secret, message)['webhook-signature']).toBe(`v1,${expected}`);
  });

  it('verifies, also among others, and only with its secret, its body, its id and near its time', () => {
    const headers: Record<string, string> = { ...signWebhook(secret, message) };
    expect(verifyWebhook(secret, headers, message.body, NOW)).toBe(true);
    expect(verifyWebhook(secret, { ...headers, 'webhook-signature': `v1,AAAA v2,x ${headers['webhook-signature']}` }, message.body, NOW + 299)).toBe(true);
    expect(verifyWebhook(endpointSecret(KEY, { ...of, version: 2 }), headers, message.body, NOW)).toBe(false);
    expect(verifyWebhook(secret, headers, `${message.body} `, NOW)).toBe(false);
    expect(verifyWebhook(secret, { ...headers, 'webhook-id': 'msg_2' }, message.body, NOW)).toBe(false);
    expect(verifyWebhook(secret, headers, message.body, NOW + 301)).toBe(false);
    expect(verifyWebhook(secret, headers, message.body, NOW - 301)).toBe(false);
  });

  it.each([[{}], [{ 'webhook-id': 'a' }], [{ 'webhook-id': 'a', 'webhook-timestamp': 'soon', 'webhook-signature': 'v1,x' }], [{ 'webhook-id': 'a', 'webhook-timestamp': String(NOW), 'webhook-signature': '' }], [{ 'webhook-id': ['a', 'b'], 'webhook-timestamp': String(NOW), 'webhook-signature': 'v1,x' }]])('is missing in %p', (headers) => {
    expect(verifyWebhook(secret, headers as Record<string, string>, '{}', NOW)).toBe(false);
  });

  it('is made of no id that could stand for another id and time, and with no secret of another kind', () => {
    expect(() => signWebhook(secret, { ...message, id: 'a.1' })).toThrow('no dot');
    expect(() => signWebhook('sk_live', message)).toThrow('begins with whsec_');
  });
});

describe('the secret of an endpoint', () => {
  it('is the same each time, and another for every tenant, kind, name, version and installation', () => {
    expect(endpointSecret(KEY, of)).toBe(endpointSecret(KEY, of));
    const all = [
      endpointSecret(KEY, of), endpointSecret(KEY, { ...of, tenant: 'other' }), endpointSecret(KEY, { ...of, kind: 'veto' }), endpointSecret(KEY, { ...of, name: 'op' }),
      endpointSecret(KEY, { ...of, version: 2 }), endpointSecret(Buffer.alloc(32, 8).toString('base64'), of), endpointSecret(KEY, { ...of, tenant: 'ac', name: 'meops' }),
    ];
    expect(new Set(all).size).toBe(all.length);
    for (const secret of all) expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  });

  it.each(['', 'short', Buffer.alloc(31).toString('base64'), Buffer.alloc(33).toString('base64')])('is not derived from %p', (key) => {
    expect(() => endpointSecret(key, of)).toThrow('32 bytes');
  });
});
