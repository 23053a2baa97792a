import { LIMITS, type Json } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';

/**
 * A body as JSON that the whole system can carry: UTF-8, nested at most `LIMITS.jsonDepth` deep, of at most
 * `LIMITS.jsonValues` values, numbers that have a
 * JSON form (1e999 would be Infinity), whole surrogate pairs, no member named `__proto__`.
 * @throws GateError MALFORMED_JSON, INVALID_REQUEST
 */
export function parseJsonBody(bytes: Buffer): Json | undefined {
  if (bytes.length === 0) return undefined;
  const text = decode(bytes);
  refuseOutOfBounds(text);
  const value = parse(text);
  refuseUnspeakable(value);
  return value;
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new GateError('MALFORMED_JSON', 'The body is not UTF-8');
  }
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    throw new GateError('MALFORMED_JSON', 'The body is not JSON');
  }
}

/** Before parsing, so that a body of nothing but brackets costs one pass over its text and no memory. Every value but the first comes behind an opener or a comma. */
function refuseOutOfBounds(text: string): void {
  let depth = 0;
  let values = 1;
  let before = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === 0x5c) at++;
      else if (char === 0x22) inString = false;
      continue;
    }
    if (char === 0x22) inString = true;
    else if (isOpener(char)) {
      values++;
      if (++depth > LIMITS.jsonDepth) throw tooDeep();
    } else if (char === 0x5d || char === 0x7d) {
      if (isOpener(before)) values--;
      depth--;
    } else if (char === 0x2c) values++;
    if (char > 0x20) before = char;
  }
  if (values > LIMITS.jsonValues) throw tooMany();
}

const isOpener = (char: number): boolean => char === 0x5b || char === 0x7b;

const tooMany = () => new GateError('INVALID_REQUEST', `The body holds more than ${LIMITS.jsonValues} values`);
const tooDeep = () => new GateError('INVALID_REQUEST', `The body is nested deeper than ${LIMITS.jsonDepth} levels`);

/** @throws GateError INVALID_REQUEST */
function refuseUnspeakable(value: unknown): void {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new GateError('INVALID_REQUEST', 'The body holds a number that JSON cannot say');
  if (typeof value === 'string') refuseString(value);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const member of value) refuseUnspeakable(member);
    return;
  }
  for (const name in value) {
    if (name === '__proto__') throw new GateError('INVALID_REQUEST', 'A member may not be named __proto__');
    refuseString(name);
    refuseUnspeakable((value as Record<string, unknown>)[name]);
  }
}

function refuseString(text: string): void {
  if (!text.isWellFormed()) throw new GateError('INVALID_REQUEST', 'The body holds half of a surrogate pair');
}
