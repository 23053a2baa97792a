import { LIMITS } from '@countersign/contracts';
import { parseJsonBody } from './json-body.js';

const read = (text: string): unknown => parseJsonBody(Buffer.from(text));

describe('a body of JSON', () => {
  it.each([
    ['numbers', (count: number) => `[${'1,'.repeat(count - 2)}1]`],
    ['empty objects', (count: number) => `[${'{ },'.repeat(count - 2)}{\n}]`],
    ['objects with a member', (count: number) => `[${'{"a":[]},'.repeat(count / 2 - 1)}{}]`],
    ['texts that look like more', (count: number) => `[${'"[{,\\"",'.repeat(count - 2)}1]`],
  ])('holds as many values as it may, and not one more: %s', (_what, text) => {
    expect(() => read(text(LIMITS.jsonValues))).not.toThrow();
    expect(() => read(text(LIMITS.jsonValues + 2))).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST', message: expect.stringContaining('values') }));
  });

  it('is refused unparsed when it holds too many, since parsing is what would cost', () => {
    const text = Buffer.from(`[${'{},'.repeat(2_700_000)}{}]`);
    const { parse } = JSON;
    let parsed = false;
    JSON.parse = ((...given: Parameters<typeof parse>) => { parsed = true; return parse(...given) as unknown; }) as typeof parse;
    try {
      expect(() => parseJsonBody(text)).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    } finally {
      JSON.parse = parse;
    }
    expect(parsed).toBe(false);
  });
});
