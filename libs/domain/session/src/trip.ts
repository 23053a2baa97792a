import type { LimitCause, TenantSettings } from '@countersign/contracts';
import type { ItemRef, Tally, TalliedDenial } from './tally.js';

/** Why a session has come to its limit. */
export interface Trip {
  readonly cause: LimitCause;
  /** In words, for people: what was counted against which bound. */
  readonly detail: string;
  /** What was counted, oldest first. */
  readonly items: readonly ItemRef[];
}

/**
 * Whether the session has come to its limit by what was denied since a sequence, or by the calls it ends with. Denials before
 * that were looked at when they came, under the settings of then: stricter ones do not reach back.
 */
export function tripOf(tally: Tally, { breaker, doomLoop }: Pick<TenantSettings, 'breaker' | 'doomLoop'>, since: number): Trip | undefined {
  return consecutiveDenials(tally, breaker.consecutive, since) ?? denialsWithin(tally, breaker, since) ?? repeatedCall(tally, doomLoop);
}

function consecutiveDenials({ denials }: Tally, bound: number, since: number): Trip | undefined {
  if (bound === 0) return undefined;
  const last = denials.findLastIndex(({ sequence, inARow }) => sequence >= since && inARow >= bound);
  if (last < 0) return undefined;
  const items = denials.slice(0, last + 1).slice(-bound);
  return { cause: 'circuit_breaker', detail: `${denials[last]!.inARow} denials in a row; the bound is ${bound}`, items: items.map(refOf) };
}

/** Counted back from the newest denial, by the times at which they were appended. */
function denialsWithin({ denials }: Tally, { count, windowMs }: TenantSettings['breaker'], since: number): Trip | undefined {
  const newest = denials.at(-1);
  if (count === 0 || !newest || newest.sequence < since) return undefined;
  const items = denials.filter(({ time }) => Math.abs(Date.parse(newest.time) - Date.parse(time)) < windowMs);
  if (items.length < count) return undefined;
  return { cause: 'circuit_breaker', detail: `${items.length} denials within ${windowMs / 1_000} s; the bound is ${count}`, items: items.slice(-count).map(refOf) };
}

/** The same call so often in a row, among the last `within` calls. */
function repeatedCall({ calls }: Tally, { repeats, within }: TenantSettings['doomLoop']): Trip | undefined {
  if (repeats === 0) return undefined;
  const recent = calls.slice(-within);
  for (let end = recent.length; end >= repeats; end -= 1) {
    const run = recent.slice(end - repeats, end);
    if (run.every(({ call }) => call === run[0]!.call)) {
      const operation = run[0]!.call.split(' ')[0]!;
      return { cause: 'doom_loop', detail: `${operation} was called ${repeats} times in a row with the same arguments, within the last ${within} calls`, items: run.map(({ plan, itemId }) => ({ plan, itemId })) };
    }
  }
  return undefined;
}

const refOf = ({ plan, itemId }: TalliedDenial): ItemRef => ({ plan, itemId });
