import { POLICY_BUNDLE_SCHEMA, type PolicyRule } from '@countersign/contracts';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { globMatches, globsMeet, parseGlob } from './globs.js';
import { ruleOrder } from './order-rules.js';

const rule = (id: string, match: object, more: object = {}): PolicyRule => ({ id, match, action: 'deny', ...more }) as PolicyRule;
const ids = (rules: readonly PolicyRule[]): string[] => ruleOrder(rules).order.map(({ id }) => id);

describe('the order of rules', () => {
  it('takes rules that no item can match both, though they tie', () => {
    const apart = [
      rule('a', { tool_name: 'a*' }), rule('b', { tool_name: 'b*' }), rule('c', { tool_name: 'x*_z' , provider: 'p' }), rule('d', { tool_name: 'x*_y', provider: 'p' }),
      rule('e', { tool_name: 'x' }, { profile: 'day' }), rule('f', { tool_name: 'x' }, { profile: 'night' }), rule('g', { risk: 'low' }), rule('h', { risk: 'high' }),
    ];
    expect(ruleOrder(apart).conflicts).toEqual([]);
  });

  it('follows over, also through others', () => {
    const chain = [rule('c', { tool_name: 'x' }), rule('b', { tool_name: 'x' }, { over: 'c' }), rule('a', { tool_name: 'x' }, { over: ['b'] })];
    expect(ids(chain)).toEqual(['a', 'b', 'c']);
    expect(ruleOrder(chain).conflicts).toEqual([]);
  });

  it('names every conflict, as the file has the rules', () => {
    expect(ruleOrder([rule('a', {}), rule('b', {}), rule('c', {}, { over: 'a' })]).conflicts).toEqual([['a', 'b'], ['b', 'c']]);
  });

  it('orders a thousand rules of one tuple', () => {
    const chain = Array.from({ length: 1_000 }, (_, index) => rule(`r${index}`, { tool_name: 'x' }, index === 0 ? {} : { over: `r${index - 1}` }));
    expect(ids(chain).slice(0, 2)).toEqual(['r999', 'r998']);
    expect(ruleOrder(chain.filter(({ id }) => id !== 'r500').map((one) => (one.id === 'r501' ? rule('r501', { tool_name: 'x' }) : one))).conflicts.length).toBe(100);
  });
});

describe('patterns', () => {
  const text = fc.array(fc.constantFrom('a', 'b'), { maxLength: 6 }).map((letters) => letters.join(''));
  const pattern = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 5 }).map((letters) => `${letters.join('')}*`.slice(0, 6)).filter((letters) => letters.includes('*'));

  it('match what the plain reading of the star matches', () => {
    fc.assert(fc.property(pattern, text, (star, name) => globMatches(parseGlob(star), name) === new RegExp(`^${star.replaceAll('*', '.*')}$`).test(name)), { numRuns: 5_000 });
  });

  it('meet exactly where some text matches both', () => {
    const texts = ['', 'a', 'b'];
    for (let length = 2; length <= 11; length += 1) texts.push(...texts.filter((one) => one.length === length - 1).flatMap((one) => [`${one}a`, `${one}b`]));
    fc.assert(fc.property(pattern, pattern, (one, other) => {
      const [a, b] = [parseGlob(one), parseGlob(other)];
      return globsMeet(a, b) === texts.some((name) => globMatches(a, name) && globMatches(b, name));
    }), { numRuns: 500 });
  });
});

it('publishes the schema as a file for editors, as the engine has it', () => {
  const file = join(dirname(fileURLToPath(import.meta.url)), '..', 'schema', 'policy-bundle.schema.json');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(JSON.parse(JSON.stringify(POLICY_BUNDLE_SCHEMA)));
});
