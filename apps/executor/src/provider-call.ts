import { LIMITS, type JsonObject } from '@countersign/contracts';
import { applyKeyOf } from '@countersign/domain-plan';
import { isGateError } from '@countersign/kernel';
import { waitingDeadline, type ApplyCall, type Provider, type ReconcileAnswer } from '@countersign/providers';
import type { Attempted, ExecutorParts, Work } from './work.js';

/** As the plan's snapshot says, never by the catalogue. Undefined: this build cannot reach it. */
export function providerOf({ item }: Attempted, work: Work, parts: ExecutorParts): Provider | undefined {
  try {
    const endpoint = work.proposed.providers[item.operation.provider]?.endpoint;
    return endpoint ? parts.registry.connect(work.key.tenant, endpoint) : undefined;
  } catch (error) {
    if (isGateError(error, 'PROVIDER_INVALID')) return undefined;
    throw error;
  }
}

export function callFor({ item, attempt }: Attempted, input: JsonObject, { key }: Work, signal: AbortSignal): ApplyCall {
  return {
    tenant: key.tenant,
    session: key.session,
    operation: item.operation,
    input,
    signal,
    idempotencyKey: attempt?.idempotencyKey ?? applyKeyOf(key.tenant, key.id, item.itemId),
    fence: attempt?.fence ?? 0,
    ...(attempt?.expectedFingerprint === undefined ? {} : { expectedFingerprint: attempt.expectedFingerprint }),
  };
}

/** Asks what became of a call whose answer nobody heard; within a deadline of its own, from its turn on, since the call's is over. */
export async function reconcileItem(task: Attempted, input: JsonObject, work: Work, parts: ExecutorParts): Promise<ReconcileAnswer> {
  const provider = providerOf(task, work, parts);
  if (!provider) return { found: 'unknown' };
  const deadline = waitingDeadline(LIMITS.describeTimeoutMs, work.signal);
  const onTurn = (): boolean => { deadline.begin(); return true; };
  return await provider.reconcile({ ...callFor(task, input, work, deadline.signal), onTurn }).finally(deadline.end);
}
