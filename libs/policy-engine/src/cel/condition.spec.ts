import { LIMITS, type Json } from '@countersign/contracts';
import { factsOf } from '../testing/given-facts.js';
import { Budget } from './budget.js';
import { compileCondition } from './condition.js';
import { contextOf } from './context.js';

const item = { kind: 'resource', provider: 'files', name: 'write_file', risk: 'high' } as const;
const context = (input?: Json) => contextOf(factsOf({ item, ...(input === undefined ? { noInput: true } : { input }), session: { profile: 'night', openedAt: '2026-01-02T10:00:00Z' } }));
const come = (text: string, input: Json = {}, budget = new Budget(LIMITS.celItemSteps)) => compileCondition(text).evaluate(context(input), budget);

describe('conditions', () => {
  it.each<[string, Json, 'true' | 'false' | 'error']>([
    ['input.path.startsWith("/tmp/")', { path: '/tmp/x' }, 'true'],
    ['input.path.startsWith("/tmp/")', { path: '/etc/x' }, 'false'],
    ['input.path.startsWith("/tmp/")', {}, 'error'],
    ['input.path.startsWith("/tmp/")', { path: 3 }, 'error'],
    ['input.path.startsWith("/tmp/")', null, 'error'],
    ['has(input.path) && input.path == "x"', {}, 'false'],
    ['input.missing == 1 || true', {}, 'true'],
    ['input.missing == 1 && true', {}, 'error'],
    ['input.flag', { flag: true }, 'true'],
    ['input.flag', { flag: 'true' }, 'error'],
    ['input.to.exists(x, x.endsWith("@acme.example"))', { to: ['a@b.example', 'c@acme.example'] }, 'true'],
    ['input.to.all(x, x.endsWith("@acme.example"))', { to: ['c@acme.example', 5] }, 'error'],
    ['item.kind == "resource" && item.provider == "files" && item.tool_name == "write_file" && item.risk == "high" && item.category == "tool"', {}, 'true'],
    ['session.id == "s1" && session.agent == "coder" && session.profile == "night" && session.kind == "chat" && session.permission_mode == "default" && session.opened_by == "ci"', {}, 'true'],
    ['agent.name == "coder" && tenant.id == "acme"', {}, 'true'],
    ['now - session.opened_at > duration("1h") && now.getHours() == 12', {}, 'true'],
  ])('%s on %j comes to %s', (text, input, wanted) => {
    expect(come(text, input)).toBe(wanted);
  });

  it('takes JSON numbers as doubles, which compare with whole numbers', () => {
    expect(come('input.n == 5 && input.n > 4 && input.n < 5.5 && input.n in [1, 5]', { n: 5 })).toBe('true');
    expect(come('input.n + 1.0 == 6.0', { n: 5 })).toBe('true');
    expect(come('input.n + 1 == 6', { n: 5 })).toBe('error');
  });

  it('is an error where the input is not at hand and it looks at it, and only there', () => {
    expect(compileCondition('input.a == 1 || true').evaluate(context(), new Budget(1_000))).toBe('error');
    expect(compileCondition('item.risk == "high"').evaluate(context(), new Budget(1_000))).toBe('true');
  });

  it('takes names of every object’s members for names like others', () => {
    expect(come('has(input.constructor) || has(input.toString)', {})).toBe('false');
    expect(come('input["constructor"] == "x" && input.a.b == 1', { constructor: 'x', a: { b: 1 } })).toBe('true');
    expect(come('input["hasOwnProperty"] == 1', {})).toBe('error');
    expect(come('input.a == {"x": 1}', { a: { constructor: 1 } })).toBe('false');
    expect(come('input.list[0].b == 1', { list: [{ b: 1, constructor: {} }] })).toBe('true');
    expect(come('"toString" in input', {})).toBe('false');
  });

  it('never takes an object with a member __proto__ for another one', () => {
    const input = JSON.parse('{"a":{"__proto__":{}}}') as Json;
    expect(come('input.a == {"x": {}}', input)).toBe('error');
    expect(come('input == {"x": {"y": 1}}', JSON.parse('{"__proto__":{"y":1}}') as Json)).toBe('error');
  });

  it.each([
    ['input.l.all(x, input.l.all(y, x != y || x == y))', { l: Array.from({ length: 2_000 }, (_, index) => index) }],
    ['input.l.exists(x, input.l.exists(y, y == -1))', { l: Array.from({ length: 2_000 }, (_, index) => index) }],
    ['input.l.map(x, input.l).size() > 0', { l: Array.from({ length: 20_000 }, (_, index) => index) }],
    ['input.a == input.b', { a: Array.from({ length: 20_000 }, (_, index) => ({ index })), b: [] }],
    ['input.s.split("").size() > 5', { s: 'x'.repeat(1_000_000) }],
    ['input.s.lowerAscii() == "x"', { s: 'x'.repeat(2_000_000) }],
    ['input.s.matches("(a|aa)+$")', { s: `${'a'.repeat(500_000)}b` }],
    ['input.s.contains(input.t)', { s: 'a'.repeat(400_000), t: `${'a'.repeat(400)}b` }],
  ] as [string, Json][])('ends %s in an error when it takes too many steps', (text, input) => {
    const budget = new Budget(LIMITS.celItemSteps);
    expect(come(text, input, budget)).toBe('error');
    expect(budget.remaining).toBe(LIMITS.celItemSteps - LIMITS.celSteps);
  });

  it('gives all conditions of an item one budget', () => {
    const budget = new Budget(LIMITS.celItemSteps);
    const results = Array.from({ length: 8 }, () => come('input.l.all(x, x >= 0)', { l: Array.from({ length: 1_000 }, (_, index) => index) }, budget));
    expect(results[0]).toBe('true');
    expect(results.at(-1)).toBe('error');
  });

  it('is an error over more values than can be gone through, and over durations that take long to read', () => {
    expect(come('input.a == 1', { a: 1, list: Array.from({ length: LIMITS.celInputValues }, () => 0) })).toBe('error');
    expect(come('duration(input.d) > duration("1s")', { d: '1h30m' })).toBe('true');
    expect(come('duration(input.d) > duration("1s")', { d: '9'.repeat(10_000) })).toBe('error');
    expect(() => compileCondition(`duration("${'9'.repeat(500)}") > duration("1s")`)).toThrow(/at most 24 characters/);
  });

  it('pays for errors that are passed over', () => {
    const budget = new Budget(LIMITS.celItemSteps);
    expect(come('input.a == 1 || input.b == 1 || item.risk == "high"', {}, budget)).toBe('true');
    expect(LIMITS.celItemSteps - budget.remaining).toBeGreaterThan(20);
  });

  it('tries patterns in time linear in the text', () => {
    const text = 'input.s.matches("(a+)+$")';
    const spent = [1_000, 2_000].map((length) => {
      const budget = new Budget(LIMITS.celItemSteps);
      expect(come(text, { s: `${'a'.repeat(length)}b` }, budget)).toBe('false');
      return LIMITS.celItemSteps - budget.remaining;
    });
    expect(spent[1]! / spent[0]!).toBeLessThan(2.1);
  });

  it.each([
    ['a name that nobody knows', 'foo == 1', /Unknown variable: foo/],
    ['a member that nobody knows', 'item.tool == "x"', /No such key: tool/],
    ['what is no condition', '"yes"', /true or false, not to string/],
    ['broken syntax', 'input.a ==', /not valid/],
    ['types that do not fit', 'item.risk > 3', /no such overload/],
    ['a pattern from the call', 'input.s.matches(input.p)', /constant text/],
    ['a pattern that is none', 'input.s.matches("(a")', /missing closing/],
    ['a pattern that grows', 'input.s.matches("((a{30}){30}){30}")', /repeat|instructions/],
    ['a pattern that looks behind', 'input.s.matches("(?<=a)b")', /invalid/],
    ['lists in lists in lists', 'input.l.all(x, x.all(y, y.all(z, z == 1)))', /more than 2 deep/],
    ['bindings', 'cel.bind(x, 1, x == 1)', /do not call bind/],
    ['bytes', 'b"{}".json() == input', /do not call json/],
    ['too many parts', Array.from({ length: 80 }, (_, index) => `input.a == ${index}`).join(' || '), /maxAstNodes|parts/],
    ['too many characters', `input.a == "${'x'.repeat(2_000)}"`, /2000 characters/],
    ['too deep a nesting', `${'('.repeat(500)}true${')'.repeat(500)}`, /maxDepth/],
    ['too long a path', `input${'.a'.repeat(500)} == 1`, /max/],
  ])('refuses %s', (_what, text, message) => {
    expect(() => compileCondition(text)).toThrow(expect.objectContaining({ code: 'POLICY_INVALID', message: expect.stringMatching(message) }));
  });
});
