import { coversInWords, type Covered } from './in-words.js';

const files = { provider: 'files', operation: 'write_file' } as const;

it.each<[Omit<Covered, 'provider' | 'operation'>, string]>([
  [{ within: { session: true } }, 'every write_file of provider files in this session'],
  [{ within: { profile: 'default' } }, 'every write_file of provider files in sessions of profile default, until it is revoked'],
  [{ within: { profile: 'ci', expiresAt: '2026-12-01T00:00:00.000Z' } }, 'every write_file of provider files in sessions of profile ci, until 2026-12-01T00:00:00.000Z'],
  [{ within: { session: true }, narrow: { kind: 'exact_input', inputDigest: 'd' } }, 'write_file of provider files with exactly these arguments, in this session'],
  [{ within: { session: true }, narrow: { kind: 'path_prefix', field: '/path', prefix: '/tmp' } }, 'every write_file of provider files whose /path is in /tmp, in this session'],
  [{ within: { profile: 'default' }, narrow: { kind: 'host', field: '/url', host: 'a.example' } }, 'every write_file of provider files whose /url is at the host a.example, in sessions of profile default, until it is revoked'],
])('says in words what %j covers', (covered, words) => {
  expect(coversInWords({ ...files, ...covered })).toBe(words);
});
