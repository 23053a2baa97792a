import { createHash } from 'node:crypto';

/**
 * RFC 8785 (JCS) text of a JSON value: keys sorted by UTF-16 code units, no white space, ECMAScript numbers.
 * Members that are `undefined` are left out, as JSON.stringify does.
 * @throws TypeError on what JSON cannot say: NaN, infinities, bigint, functions, lone surrogates
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON form`);
    return JSON.stringify(value);
  }
  if (typeof value === 'string') return canonicalString(value);
  if (Array.isArray(value)) return `[${value.map((member) => canonicalJson(member === undefined ? null : member)).join(',')}]`;
  if (typeof value === 'object') return canonicalObject(value as Record<string, unknown>);
  throw new TypeError(`a ${typeof value} has no JSON form`);
}

function canonicalString(value: string): string {
  if (!value.isWellFormed()) throw new TypeError('a lone surrogate has no JSON form');
  return JSON.stringify(value);
}

function canonicalObject(value: Record<string, unknown>): string {
  let text = '';
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (member !== undefined) text += `${text === '' ? '{' : ','}${canonicalString(key)}:${canonicalJson(member)}`;
  }
  return text === '' ? '{}' : `${text}}`;
}

/** SHA-256, lower-case hex. */
export const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex');
/** SHA-256 of the canonical text, lower-case hex. Stable across key order. */
export const digestOf = (value: unknown): string => sha256(canonicalJson(value));
