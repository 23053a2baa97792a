import { LIMITS } from '@countersign/contracts';

/**
 * The pause before a delivery's next try: as long as what it tells of is old by then, within bounds, so each is about twice
 * the one before. Told by age and not by a count: nothing has to be remembered, and neither a restart nor another process
 * begins anew. A first try always has a second one, however late it came.
 * @param ageMs since what it tells of happened
 * @returns undefined: it was the last try
 */
export function nextPauseMs(ageMs: number, isFirstTry: boolean): number | undefined {
  if (isFirstTry) return LIMITS.webhookFirstPauseMs;
  if (!(ageMs < LIMITS.webhookRetriesMs)) return undefined;
  return Math.min(LIMITS.webhookLongestPauseMs, Math.max(LIMITS.webhookFirstPauseMs, ageMs));
}
