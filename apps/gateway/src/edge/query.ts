import { LIMITS, holdsControl } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';

export type Query = Readonly<Record<string, unknown>>;

/** How long an answer may be held back, and for what. */
export interface WaitFor {
  readonly waitMs: number;
  /** `verdict`: every item is allowed, asked or denied. `settled`: every item has come to its end. */
  readonly until: 'verdict' | 'settled';
}

/** `?wait=<seconds>&until=verdict|settled`. The wait is at most `LIMITS.waitMs`. @throws GateError INVALID_REQUEST */
export function waitFrom(query: Query): WaitFor {
  const seconds = numberFrom(query, 'wait', { max: LIMITS.waitMs / 1_000, fraction: true }) ?? 0;
  return { waitMs: seconds * 1_000, until: oneOf(query, 'until', ['verdict', 'settled']) ?? 'verdict' };
}

/** A position in the log. @throws GateError INVALID_REQUEST */
export function positionFrom(query: Query): number | undefined {
  return numberFrom(query, 'at', { min: 1, max: Number.MAX_SAFE_INTEGER });
}

interface NumberBounds { readonly min?: number; readonly max: number; readonly fraction?: true }

export function numberFrom(query: Query, name: string, bounds: NumberBounds): number | undefined {
  const text = textFrom(query, name, 32);
  if (text === undefined) return undefined;
  const { min = 0, max, fraction } = bounds;
  const value = (fraction ? /^\d{1,12}(\.\d{1,6})?$/ : /^\d{1,16}$/).test(text) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) throw new GateError('INVALID_REQUEST', `?${name} must be a number from ${min} to ${max}`);
  return value;
}

export function textFrom(query: Query, name: string, max: number): string | undefined {
  const value = query[name];
  if (value === undefined) return undefined;
  if (typeof value !== 'string') throw new GateError('INVALID_REQUEST', `?${name} must be given once`);
  if (value.length === 0 || value.length > max || !value.isWellFormed()) throw new GateError('INVALID_REQUEST', `?${name} must have 1 to ${max} characters`);
  if (holdsControl(value)) throw new GateError('INVALID_REQUEST', `?${name} must hold no control characters`);
  return value;
}

export function timeFrom(query: Query, name: string): string | undefined {
  const text = textFrom(query, name, 40);
  if (text === undefined) return undefined;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw new GateError('INVALID_REQUEST', `?${name} must be an RFC 3339 time`);
  return new Date(time).toISOString();
}

export function oneOf<const T extends string>(query: Query, name: string, values: readonly T[]): T | undefined {
  const text = textFrom(query, name, 40);
  if (text === undefined) return undefined;
  const found = values.find((value) => value === text);
  if (found === undefined) throw new GateError('INVALID_REQUEST', `?${name} must be one of ${values.join(', ')}`);
  return found;
}

export function matching(query: Query, name: string, pattern: RegExp): string | undefined {
  const value = textFrom(query, name, LIMITS.nameChars);
  if (value !== undefined && !pattern.test(value)) throw new GateError('INVALID_REQUEST', `?${name} is not an id`);
  return value;
}

/** What was given, for a command that travels as JSON: an absent field and one that is null are the same. */
export const given = <T extends object>(fields: T): T => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)) as T;
