import { bearerOf, hashOf, makeApiKey, parseApiKey, secretMatches } from './api-key.js';

describe('an API key', () => {
  it('is read back into what it was made of, also when its secret holds the separator', () => {
    for (let tries = 0; tries < 200; tries += 1) {
      const { text, record } = makeApiKey('acme-2', 'k1', { principal: 'bot', roles: ['proposer', 'proposer'] });
      const key = parseApiKey(text)!;
      expect([key.tenant, key.keyId, record.roles]).toEqual(['acme-2', 'k1', ['proposer']]);
      expect(secretMatches(key.secret, record.secretHash)).toBe(true);
    }
    expect(parseApiKey(`csk_acme_k1_${'a_b-'.repeat(10)}`)).toEqual({ tenant: 'acme', keyId: 'k1', secret: 'a_b-'.repeat(10) });
  });

  it.each(['', 'csk_', 'csk_acme', 'csk_acme_k1', 'csk_acme_k1_', 'csk_Acme_k1_aaaaaaaaaaaaaaaaaaaa', 'csk_a.b_k1_aaaaaaaaaaaaaaaaaaaa', 'csk_acme_*_aaaaaaaaaaaaaaaaaaaa', `csk_acme_k1_${'a'.repeat(200)}`, 'xsk_acme_k1_aaaaaaaaaaaaaaaaaaaa'])('is not %j', (text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });

  it('matches no hash but its own, and none at all when there is no such key', () => {
    expect(secretMatches('secret', hashOf('secret'))).toBe(true);
    expect(secretMatches('secret', hashOf('Secret'))).toBe(false);
    expect(secretMatches('secret', undefined)).toBe(false);
    expect(secretMatches('secret', 'abc')).toBe(false);
  });

  it('comes as a bearer token only', () => {
    expect(bearerOf('Bearer abc')).toBe('abc');
    expect(bearerOf('bearer  abc ')).toBe('abc');
    for (const header of [undefined, '', 'abc', 'Basic abc', 'Bearer a b', `Bearer ${'a'.repeat(600)}`]) expect(bearerOf(header)).toBeUndefined();
  });
});
