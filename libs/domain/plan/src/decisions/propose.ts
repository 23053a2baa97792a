import { LIMITS, itemIdAt, type JsonObject, type OperationSnapshot, type PlanEvent, type PlanId, type Proposed, type ProviderSnapshot, type Sealed } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import type { PlanState } from '../state.js';

export interface ProposalCall {
  readonly callId: string;
  /** Key of `operations`: `<provider>/<operation>`. */
  readonly operation: string;
  /** Checked against the operation's schema by the caller; the domain does not read bodies. */
  readonly input: Sealed<JsonObject>;
}

export interface ProposePlan extends Omit<Proposed, 'items'> {
  readonly planId: PlanId;
  readonly calls: readonly ProposalCall[];
  readonly providers: Readonly<Record<string, ProviderSnapshot>>;
  readonly operations: Readonly<Record<string, OperationSnapshot>>;
}

export interface Repeatable { readonly repeated: boolean }

/**
 * Fixes the calls of one turn as a plan, with every operation as it is now.
 * @throws GateError IDEMPOTENCY_KEY_REUSED, PLAN_EMPTY, PLAN_TOO_LARGE, DUPLICATE_CALL_ID, INVALID_REQUEST, OPERATION_UNKNOWN
 */
export function propose(plan: PlanState, command: ProposePlan): Decision<PlanEvent, Repeatable> {
  if (proposedBefore(plan, command)) return { reply: { repeated: true } };
  checkCalls(command.calls);
  const { planId: _planId, calls, ...facts } = command;
  const missing = calls.find((call) => !Object.hasOwn(command.operations, call.operation));
  if (missing) throw new GateError('OPERATION_UNKNOWN', `Call ${missing.callId} names ${missing.operation}, which is not in the plan's snapshot`);
  const items = calls.map(({ callId, operation, input }, index) => ({ itemId: itemIdAt(index), callId, operation, input }));
  return { event: { type: 'plan.Proposed', data: { ...facts, items } }, reply: { repeated: false } };
}

/** @throws GateError IDEMPOTENCY_KEY_REUSED when another body was proposed under this id */
export function proposedBefore(plan: PlanState, command: { readonly planId: PlanId; readonly requestDigest: string }): boolean {
  if (!plan.proposed) return false;
  if (plan.proposed.requestDigest === command.requestDigest) return true;
  throw new GateError('IDEMPOTENCY_KEY_REUSED', `Plan ${command.planId} was proposed with another body under this Idempotency-Key`, { plan: command.planId });
}

/** What can be said of the calls without knowing any operation. @throws GateError as `propose` */
export function checkCalls(calls: readonly { readonly callId: string }[]): void {
  if (calls.length === 0) throw new GateError('PLAN_EMPTY');
  if (calls.length > LIMITS.planItems) {
    throw new GateError('PLAN_TOO_LARGE', `A plan has at most ${LIMITS.planItems} items; this one has ${calls.length}`);
  }
  const seen = new Set<string>();
  for (const { callId } of calls) {
    if (callId.length === 0 || callId.length > LIMITS.callIdChars) {
      throw new GateError('INVALID_REQUEST', `A call id has 1 to ${LIMITS.callIdChars} characters; one has ${callId.length}`);
    }
    if (seen.has(callId)) throw new GateError('DUPLICATE_CALL_ID', `Two items have the call id ${callId}`, { callId });
    seen.add(callId);
  }
}
