import fc from 'fast-check';
import { withoutUndefined } from './without-undefined.js';

describe('withoutUndefined', () => {
  it('is what JSON would keep', () => {
    const value = fc.letrec<{ any: unknown }>((tie) => ({
      any: fc.oneof({ depthSize: 'small' }, fc.constant(undefined), fc.string(), fc.integer(), fc.boolean(), fc.constant(null),
        fc.dictionary(fc.string(), tie('any'), { noNullPrototype: true })),
    })).any;
    fc.assert(fc.property(fc.dictionary(fc.string(), value, { noNullPrototype: true }), (data) => {
      expect(withoutUndefined(data)).toStrictEqual(JSON.parse(JSON.stringify(data)));
    }));
  });

  it('copies nothing that has no such member', () => {
    const inner = { a: [1, { b: null }] };
    const whole = { inner, gone: undefined };
    expect(withoutUndefined(inner)).toBe(inner);
    expect(withoutUndefined(whole).inner).toBe(inner);
    expect('gone' in withoutUndefined(whole)).toBe(false);
  });
});
