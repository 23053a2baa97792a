import type { PlanEvent } from '@countersign/contracts';
import { itemsToApply, recordOutcomes, type OutcomesRecorded, type PlanState } from '@countersign/domain-plan';
import type { Decision } from '@countersign/kernel';
import { notStarted, type ExecutorParts, type Work } from './work.js';

/** Allowed items of an ended session that never started: they do not start any more. Others are left as they are. */
export function skipUnstarted(plan: PlanState, itemIds: readonly string[], at: string): Decision<PlanEvent, OutcomesRecorded> {
  const unstarted = itemsToApply(plan).filter((item) => itemIds.includes(item.itemId) && item.attempts.length === 0);
  return recordOutcomes(plan, {
    outcomes: unstarted.map((item) => ({ itemId: item.itemId, attempt: 0, outcome: 'skipped', error: notStarted(), startedAt: at, endedAt: at })),
  });
}

export async function recordSkipped(itemIds: readonly string[], work: Work, parts: ExecutorParts): Promise<void> {
  if (itemIds.length === 0) return;
  const at = parts.now().toISOString();
  await parts.plans.transact(work.key, ({ state }) => skipUnstarted(state, itemIds, at), { meta: work.meta, atLeast: work.atLeast });
}
