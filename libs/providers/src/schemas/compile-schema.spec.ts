import type { JsonObject } from '@countersign/contracts';
import { compileSchema } from './compile-schema.js';
import { SchemaChecks } from './schema-checks.js';

const check = (schema: JsonObject, input: JsonObject) => compileSchema(schema)(input, 100);
const refused = (schema: JsonObject) => {
  try {
    compileSchema(schema);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

describe('compileSchema', () => {
  it('knows draft 2020-12, also when the schema does not say, and draft-07', () => {
    const tuple2020 = { properties: { a: { prefixItems: [{ type: 'string' }] } } };
    expect(check(tuple2020, { a: [1] })).toEqual({ pointer: '/a/0', problem: 'must be string' });
    expect(check({ ...tuple2020, $schema: 'https://json-schema.org/draft/2020-12/schema' }, { a: [1] })).toBeDefined();
    const tuple07 = { $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { items: [{ type: 'string' }] } } };
    expect(check(tuple07, { a: [1] })).toEqual({ pointer: '/a/0', problem: 'must be string' });
  });

  it('checks formats and takes keywords it does not know', () => {
    expect(check({ properties: { at: { type: 'string', format: 'date-time', 'x-hint': 1 } } }, { at: 'now' })).toMatchObject({ pointer: '/at' });
    expect(check({ properties: { at: { type: 'string', format: 'date-time' } } }, { at: '2026-03-01T10:00:00Z' })).toBeUndefined();
  });

  it('names the place as a JSON pointer', () => {
    expect(check({ properties: { 'a/b': { properties: { '~': { type: 'number' } } } } }, { 'a/b': { '~': 'x' } })).toMatchObject({ pointer: '/a~1b/~0' });
  });

  it('neither coerces nor fills in', () => {
    const input = { n: '1' };
    expect(check({ properties: { n: { type: 'number' }, m: { default: 5 } } }, input)).toMatchObject({ pointer: '/n' });
    expect(input).toEqual({ n: '1' });
  });

  it.each<[string, JsonObject]>([
    ['an unknown type', { type: 'thing' }],
    ['a pattern that is none', { properties: { a: { pattern: '(' } } }],
    ['a reference elsewhere', { $ref: 'https://example.com/schema.json' }],
    ['another draft', { $schema: 'http://json-schema.org/draft-04/schema#' }],
    ['an asynchronous one', { $async: true, type: 'object' }],
    ['a part that is asynchronous', { $defs: { a: { $async: true } } }],
    ['parts that refer to each other in a circle', { $defs: { a: { allOf: [{ $ref: '#/$defs/b' }] }, b: { allOf: [{ $ref: '#/$defs/a' }] } }, $ref: '#/$defs/a' }],
    ['one that refers to itself on the spot', { anyOf: [{ $ref: '#' }] }],
    ['20,000 properties', { properties: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`p${index}`, {}])) }],
    ['one nested without end', Array.from({ length: 80 }).reduce<JsonObject>((inner) => ({ not: inner }), {})],
  ])('refuses %s', (_what, schema) => {
    expect(refused(schema)).toBe('PROVIDER_INVALID');
  });

  it.each(['https://json-schema.org/draft/2020-12/schema', 'http://json-schema.org/draft-07/schema#'])('knows its own top in %s', ($schema) => {
    const tree = { $schema, type: 'object', properties: { c: { $ref: '#' } } };
    expect(check(tree, { c: { c: {} } })).toBeUndefined();
    expect(check(tree, { c: { c: 1 } })).toEqual({ pointer: '/c/c', problem: 'must be object' });
  });

  it('finds a circle that only some value enters when that value is checked, and refuses it', () => {
    const circle = { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } };
    expect(check(circle, {})).toBeUndefined();
    expect(check(circle, { a: 1 })).toEqual({ pointer: '', problem: 'its schema cannot be evaluated' });
  });

  it('keeps schemas with one $id apart', () => {
    const one = compileSchema({ $id: 'https://example.com/it', properties: { a: { type: 'string' } } });
    const other = compileSchema({ $id: 'https://example.com/it', properties: { a: { type: 'number' } } });
    expect([one({ a: 1 }, 9), other({ a: 1 }, 9)]).toEqual([{ pointer: '/a', problem: 'must be string' }, undefined]);
  });

  it('stops a pattern that would run for ever, and refuses the input', () => {
    const began = performance.now();
    expect(check({ properties: { a: { pattern: '^(a+)+$' } } }, { a: `${'a'.repeat(50)}b` })).toEqual({ pointer: '', problem: 'checking it took longer than 100 ms' });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(check({ properties: { a: { pattern: '^(a+)+$' } } }, { a: 'aaa' })).toBeUndefined();
  });

  it('checks what is no object as well', () => {
    expect(compileSchema({ type: 'string' })('x', 3)).toBeUndefined();
    expect(compileSchema({ type: 'string' })(null, 4)).toEqual({ pointer: '', problem: 'must be string' });
  });

  it('refuses an input that is nested without end', () => {
    const deep = Array.from({ length: 80 }).reduce<JsonObject>((inner) => ({ a: inner }), {});
    expect(check({}, deep)).toEqual({ pointer: '', problem: 'it is nested too deeply' });
  });
});

describe('SchemaChecks', () => {
  it('compiles a schema once and forgets the least recently used', () => {
    const checks = new SchemaChecks(2);
    const [a, b] = [checks.of('a', {}), checks.of('b', {})];
    expect(checks.of('a', {})).toBe(a);
    checks.of('c', {});
    expect(checks.of('a', {})).toBe(a);
    expect(checks.of('b', {})).not.toBe(b);
  });
});
