import { isGateError, type GateError } from '@countersign/kernel';
import type { Handled } from './delivery.js';
import { Unparsable } from './parse.js';

/** Thrown by a handler that counts its tries itself and has made the last one: a dead letter now, with this reason. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';

  /** @param why shown to people */
  constructor(readonly why: GateError) {
    super(why.message);
  }
}

/** How one run of a handler ended. */
export type Outcome =
  | { readonly kind: 'done' }
  /** The handler asked to be called again then. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** Nothing was decided because a part of the gate lags, is busy or does not answer. Nobody's fault; no failure. */
  | { readonly kind: 'unavailable'; readonly error: Error }
  /** An event that this build cannot read: no decision until a newer build runs. */
  | { readonly kind: 'unreadable'; readonly error: Error }
  /** Not an event at all; no run will ever read it. */
  | { readonly kind: 'unparsable'; readonly error: Error }
  | { readonly kind: 'failed'; readonly error: Error }
  /** As `failed`, and its handler says that it was the last time. */
  | { readonly kind: 'given up'; readonly error: GateError };

export function outcomeOfReturn(returned: unknown): Outcome {
  const ms = (returned as Exclude<Handled, void> | undefined | null)?.retryInMs;
  return typeof ms === 'number' && Number.isFinite(ms) ? { kind: 'wait', ms: Math.max(0, ms) } : { kind: 'done' };
}

export function outcomeOfThrow(thrown: unknown): Outcome {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  if (error instanceof GivenUp) return { kind: 'given up', error: error.why };
  if (error instanceof Unparsable) return { kind: 'unparsable', error };
  if (isGateError(error, 'EVENT_UNREADABLE')) return { kind: 'unreadable', error };
  if (isGateError(error, 'UNAVAILABLE', 'BUSY', 'TIMEOUT', 'TOO_MANY_REQUESTS')) return { kind: 'unavailable', error };
  return { kind: 'failed', error };
}
