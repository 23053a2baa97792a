import type { ItemId, Outcomes } from '@countersign/contracts';
import { isAllowed } from './item.js';
import { needsStart } from './reactions.js';
import type { PlanState } from './state.js';

export interface OutcomeMismatch {
  readonly itemId: ItemId;
  readonly why: 'no_such_item' | 'not_allowed' | 'not_started' | 'named_twice';
}

/**
 * Both sides of the gate against one contract: outcomes may only name items that the fold of the plan allows, a resource
 * only under an attempt that was started, each once. What was skipped before any attempt (its session had ended) names no
 * attempt. The executor refuses to append what does not match; audit reports it.
 */
export function outcomeMismatches(plan: PlanState, outcomes: Outcomes): OutcomeMismatch[] {
  const seen = new Set<ItemId>();
  return outcomes.outcomes.flatMap(({ itemId, attempt, outcome }): OutcomeMismatch[] => {
    const item = plan.items.get(itemId);
    if (!item) return [{ itemId, why: 'no_such_item' }];
    if (seen.has(itemId)) return [{ itemId, why: 'named_twice' }];
    seen.add(itemId);
    if (!isAllowed(item)) return [{ itemId, why: 'not_allowed' }];
    const started = !needsStart(item) || item.attempts.some((known) => known.attempt === attempt);
    const skippedUnbegun = outcome === 'skipped' && item.attempts.length === 0;
    return started || skippedUnbegun ? [] : [{ itemId, why: 'not_started' }];
  });
}
