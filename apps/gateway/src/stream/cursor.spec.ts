import fc from 'fast-check';
import { advanced, formatCursor, parseCursor } from './cursor.js';

const position = fc.nat({ max: Number.MAX_SAFE_INTEGER });

describe('a cursor', () => {
  it('is read back as it was written', () => {
    fc.assert(fc.property(position, position, (GATE, CATALOG) => {
      expect(parseCursor(formatCursor({ GATE, CATALOG }))).toEqual({ GATE, CATALOG });
    }));
  });

  it('never goes back', () => {
    expect(advanced({ GATE: 5, CATALOG: 1 }, 'GATE', 3)).toEqual({ GATE: 5, CATALOG: 1 });
    expect(advanced({ GATE: 5, CATALOG: 1 }, 'CATALOG', 3)).toEqual({ GATE: 5, CATALOG: 3 });
  });

  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  it.each(['', 'a b', 'zzz', encode({}), encode([1, 2]), encode(null), encode({ gate: -1, catalog: 0 }), encode({ gate: 1.5, catalog: 0 }), encode({ gate: '1', catalog: 0 }), encode({ gate: 1 }), 'A'.repeat(500)])('is not %j', (text) => {
    expect(() => parseCursor(text)).toThrow(expect.objectContaining({ code: 'CURSOR_INVALID' }));
  });

  it('is not broken by any text', () => {
    fc.assert(fc.property(fc.string(), (text) => {
      try {
        parseCursor(text);
      } catch (error) {
        expect(error).toMatchObject({ code: 'CURSOR_INVALID' });
      }
    }));
  });
});
