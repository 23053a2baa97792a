import type { ItemId, ItemOutcome, PlanEvent } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { outcomeMismatches } from '../outcome-matches-plan.js';
import { maySettle, type PlanState } from '../state.js';

export interface RecordOutcomes { readonly outcomes: readonly ItemOutcome[] }

export interface OutcomesRecorded {
  readonly recorded: readonly ItemId[];
  /** Already settled: the same report again, or a late one. */
  readonly settledBefore: readonly ItemId[];
  /** A late report of an effect on an item with a later attempt, by a provider that enforces no key: it may have happened twice. */
  readonly duplicateEffectPossible: readonly ItemId[];
}

/**
 * Keeps how allowed items ended. A settled item is not settled again; an indeterminate one may be, by a late answer.
 * @throws GateError INTERNAL when an outcome names what the plan does not allow or nobody started
 */
export function recordOutcomes(plan: PlanState, { outcomes }: RecordOutcomes): Decision<PlanEvent, OutcomesRecorded> {
  const mismatches = outcomeMismatches(plan, { outcomes });
  if (mismatches.length > 0) throw new GateError('INTERNAL', 'Outcomes do not fit their plan; nothing was recorded', { mismatches });
  const fits = (outcome: ItemOutcome): boolean => maySettle(plan.items.get(outcome.itemId)!, outcome);
  const landing = outcomes.filter((outcome) => fits(outcome) && !isOvertaken(plan, outcome));
  const reply: OutcomesRecorded = {
    recorded: landing.map(({ itemId }) => itemId),
    settledBefore: outcomes.filter((outcome) => !fits(outcome)).map(({ itemId }) => itemId),
    duplicateEffectPossible: outcomes
      .filter((outcome) => outcome.outcome === 'applied' && isOvertaken(plan, outcome) && !plan.items.get(outcome.itemId)!.operation.enforcesKey)
      .map(({ itemId }) => itemId),
  };
  return landing.length === 0 ? { reply } : { event: { type: 'plan.Outcomes', data: { outcomes: landing } }, reply };
}

/** A later attempt was started: only its outcome may settle the item. */
function isOvertaken(plan: PlanState, outcome: ItemOutcome): boolean {
  return plan.items.get(outcome.itemId)!.attempts.some((attempt) => attempt.attempt > outcome.attempt);
}
