import type { Closed, PlanEvent } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { isPending } from '../item.js';
import { isSettled, isStopped, type PlanState } from '../state.js';
import type { Repeatable } from './propose.js';

/**
 * Denies everything that is still pending or asked. `cancelled` and `session_ended` also stop the plan, so they are due while
 * anything of it has not come to its end: of what is allowed nothing more is started; what runs is not stopped. For
 * `policy_unavailable` something must be pending: an ask that waits for a person has its verdict. Otherwise it says nothing.
 * @throws GateError NOT_FOUND
 */
export function closePlan(plan: PlanState, command: Closed): Decision<PlanEvent, Repeatable> {
  if (!plan.proposed) throw new GateError('NOT_FOUND', 'There is no such plan');
  return isDue(plan, command) ? { event: { type: 'plan.Closed', data: command }, reply: { repeated: false } } : { reply: { repeated: true } };
}

function isDue(plan: PlanState, { reason }: Closed): boolean {
  if (reason === 'policy_unavailable') return !plan.closed && [...plan.items.values()].some(isPending);
  return !isStopped(plan) && !isSettled(plan);
}
