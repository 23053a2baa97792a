import fc from 'fast-check';
import { canonicalJson, digestOf } from './canonical-json.js';

describe('canonicalJson', () => {
  it('sorts keys by code units and drops undefined members', () => {
    expect(canonicalJson({ b: 1, a: [true, null, 'x'], '\u20ac': undefined })).toBe('{"a":[true,null,"x"],"b":1}');
  });

  it('round-trips every JSON value', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }));
  });

  it('gives the same digest for every order of keys', () => {
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const reversed = Object.fromEntries(Object.entries(value).reverse());
      expect(digestOf(reversed)).toBe(digestOf(value));
    }));
  });

  it.each([[Number.NaN], [Infinity], [1n], ['\ud800'], [() => 1]])('refuses %p', (value) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
  });
});
