import type { Closed, PlanEvent } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { isPending, isResolved } from '../item.js';
import type { PlanState } from '../state.js';
import type { Repeatable } from './propose.js';

/**
 * Denies everything that is still pending or asked; what is decided stays. With nothing to deny it says nothing.
 * For `policy_unavailable` something must be pending: an ask that waits for a person has its verdict.
 * @throws GateError NOT_FOUND
 */
export function closePlan(plan: PlanState, command: Closed): Decision<PlanEvent, Repeatable> {
  if (!plan.proposed) throw new GateError('NOT_FOUND', 'There is no such plan');
  const items = [...plan.items.values()];
  const due = command.reason === 'policy_unavailable' ? items.some(isPending) : items.some((item) => !isResolved(item));
  return plan.closed || !due ? { reply: { repeated: true } } : { event: { type: 'plan.Closed', data: command }, reply: { repeated: false } };
}
