import { canonicalJson } from '@countersign/kernel';
import type { Sealed } from '@countersign/contracts';
import { Unprojectable } from './unprojectable.js';

/** Bytes of an indexed text. Keeps every index entry far below PostgreSQL's 2,704 bytes. */
export const IDENTIFIER_BYTES = 400;
const INT4_MAX = 2_147_483_647;
const RFC3339_UTC = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|\+00:00)$/;
/** Of a leap year. */
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/*
 * Each of these gives a cell that PostgreSQL takes, or throws Unprojectable. One refused cell would refuse the whole
 * COPY, and with it every event beside it; so nothing reaches COPY unchecked.
 */

export function text(value: unknown, what: string): string {
  if (typeof value !== 'string') throw new Unprojectable('shape_unknown', `${what} is not a text`);
  if (value.includes('\0')) throw new Unprojectable('holds_nul', `${what} holds NUL`);
  if (!value.isWellFormed()) throw new Unprojectable('shape_unknown', `${what} holds a lone surrogate`);
  return value;
}

/**
 * What a person or a provider wrote. A NUL in it becomes the six characters of its JSON escape, since no text of PostgreSQL
 * holds one; what was written exactly stands in the event's body.
 */
export const prose = (value: unknown, what: string): string => text(typeof value === 'string' ? value.replaceAll('\0', String.raw`\u0000`) : value, what);

export const optionalProse = (value: unknown, what: string): string | null => (value === undefined || value === null ? null : prose(value, what));

export function identifier(value: unknown, what: string): string {
  const found = text(value, what);
  if (Buffer.byteLength(found, 'utf8') > IDENTIFIER_BYTES) throw new Unprojectable('too_long', `${what} is longer than ${IDENTIFIER_BYTES} bytes`);
  return found;
}

export const optionalText = (value: unknown, what: string): string | null => (value === undefined || value === null ? null : text(value, what));

export function bigint(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new Unprojectable('shape_unknown', `${what} is not a whole number`);
  return value;
}

export function integer(value: unknown, what: string): number {
  const found = bigint(value, what);
  if (Math.abs(found) > INT4_MAX) throw new Unprojectable('shape_unknown', `${what} is out of range`);
  return found;
}

export const optionalInteger = (value: unknown, what: string): number | null => (value === undefined || value === null ? null : integer(value, what));

export function oneOf(value: unknown, what: string, allowed: readonly string[]): string {
  const found = text(value, what);
  if (!allowed.includes(found)) throw new Unprojectable('shape_unknown', `${what} is none of ${allowed.join(', ')}`);
  return found;
}

export function finite(value: unknown, what: string): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Unprojectable('shape_unknown', `${what} is not a number`);
  return value;
}

export function flag(value: unknown, what: string): boolean {
  if (typeof value !== 'boolean') throw new Unprojectable('shape_unknown', `${what} is not true or false`);
  return value;
}

/** An RFC 3339 time in UTC between the years 2000 and 2199, as text; PostgreSQL rounds it to microseconds. */
export function time(value: unknown, what: string): string {
  const found = text(value, what);
  if (!isTime(found)) throw new Unprojectable('shape_unknown', `${what} is not an RFC 3339 time in UTC from 2000 to 2199`);
  return found;
}

export const optionalTime = (value: unknown, what: string): string | null => (value === undefined || value === null ? null : time(value, what));

export function isTime(value: string): boolean {
  if (!RFC3339_UTC.test(value)) return false;
  const part = (from: number): number => Number(value.slice(from, from + 2));
  const year = Number(value.slice(0, 4));
  const [month, day] = [part(5), part(8)];
  if (year < 2000 || year >= 2200 || month < 1 || month > 12 || day < 1) return false;
  // Date.parse takes the 30th of February for the 1st of March; PostgreSQL refuses it, and with it the whole batch.
  const days = month === 2 && (year % 4 !== 0 || (year % 100 === 0 && year % 400 !== 0)) ? 28 : DAYS[month - 1]!;
  return day <= days && part(11) <= 23 && part(14) <= 59 && part(17) <= 59;
}

export function list(value: unknown, what: string): readonly Record<string, unknown>[] {
  if (!Array.isArray(value)) throw new Unprojectable('shape_unknown', `${what} is not a list`);
  return value.map((member, at) => record(member, `${what}[${at}]`));
}

export function record(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Unprojectable('shape_unknown', `${what} is not an object`);
  return value as Record<string, unknown>;
}

/** Canonical text of a JSON value. NUL inside a value is an escape in it, so PostgreSQL takes it. */
export function canonical(value: unknown, what: string): string {
  try {
    return canonicalJson(value);
  } catch {
    throw new Unprojectable('shape_unknown', `${what} has no canonical form`);
  }
}

export const optionalCanonical = (value: unknown, what: string): string | null => (value === undefined || value === null ? null : canonical(record(value, what), what));

/** Texts such as roles, as canonical JSON. */
export function texts(value: unknown, what: string): string {
  if (!Array.isArray(value)) throw new Unprojectable('shape_unknown', `${what} is not a list`);
  return canonical(value.map((member) => text(member, what)), what);
}

/** Digest, size and canonical text of a body; the text is null when the body is a blob. */
export function sealed(value: unknown, what: string): { digest: string; bytes: number; text: string | null } {
  const found = record(value, what) as unknown as Sealed<unknown>;
  return {
    digest: text(found.digest, `${what}.digest`),
    bytes: bigint(found.bytes, `${what}.bytes`),
    text: found.value === undefined ? null : canonical(found.value, what),
  };
}
