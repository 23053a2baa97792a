import type { ItemOutcome, PlanEvent, ProviderFailure } from '@countersign/contracts';
import { itemsToApply, recordOutcomes, type OutcomesRecorded, type PlanState } from '@countersign/domain-plan';
import type { Decision } from '@countersign/kernel';
import { judgeStopped } from './judge-result.js';
import { recordEnded } from './record-ended.js';
import { endOfLostAttempt } from './recover.js';
import type { ExecutorParts, Wanted, Work } from './work.js';

/** An allowed item that must not be called any more. */
export interface Stopped extends Wanted { readonly why: ProviderFailure }

/** Those that never started do not start any more; of an earlier attempt it is said whether it may have taken effect. */
export async function recordStopped(stopped: readonly Stopped[], work: Work, parts: ExecutorParts): Promise<void> {
  const begun = stopped.filter(({ item }) => item.attempts.length > 0);
  await recordEnded(begun.map(({ item, why, doubt }) => endOfLostAttempt(item, judgeStopped(why, doubt), parts)), work, parts);
  const unbegun = new Map(stopped.filter(({ item }) => item.attempts.length === 0).map(({ item, why }) => [item.itemId, why]));
  if (unbegun.size === 0) return;
  const at = parts.now().toISOString();
  await parts.plans.transact(work.key, ({ state }) => skipUnstarted(state, unbegun, at), { meta: work.meta, atLeast: work.atLeast });
}

/** What another executor has started meanwhile is left as it is. */
function skipUnstarted(plan: PlanState, why: ReadonlyMap<string, ProviderFailure>, at: string): Decision<PlanEvent, OutcomesRecorded> {
  const outcomes = itemsToApply(plan).flatMap(({ itemId, attempts }): ItemOutcome[] => {
    const error = why.get(itemId);
    return error && attempts.length === 0 ? [{ itemId, attempt: 0, outcome: 'skipped', error, startedAt: at, endedAt: at }] : [];
  });
  return recordOutcomes(plan, { outcomes });
}
