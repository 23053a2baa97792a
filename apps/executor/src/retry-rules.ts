import type { OperationSnapshot, ProviderErrorCategory } from '@countersign/contracts';
import { leavesDoubt, type FailedAnswer } from '@countersign/providers';

/** Calls of one item in one go, the first included. */
export const MAX_TRIES = 3;
const BACKOFF_MS = [50, 250];

/** A read that the provider has clearly refused is refused again. */
const FINAL: ReadonlySet<ProviderErrorCategory> = new Set(['invalid_arguments', 'not_found', 'permission_denied', 'precondition_failed', 'cancelled']);

export type AfterFailure = 'retry' | 'doubt' | 'failed';

/**
 * What follows from a failed call (`SEMANTICS` § 4, provider errors). A read may always be called again. A resource only
 * if it is idempotent, the failure may pass, and the call certainly had no effect; where that is in doubt, the doubt
 * is settled first and nothing is called on a guess.
 * @param leftMs until the operation's deadline, which covers all its tries
 */
export function afterFailure(operation: OperationSnapshot, answer: FailedAnswer, tries: number, leftMs: number): AfterFailure {
  const mayTry = tries < MAX_TRIES && leftMs > backoffMs(tries);
  if (operation.kind !== 'resource') return mayTry && !FINAL.has(answer.error.category) ? 'retry' : 'failed';
  if (leavesDoubt(answer)) return 'doubt';
  return mayTry && operation.idempotent && answer.error.retryable ? 'retry' : 'failed';
}

/** @param tries so far */
export const backoffMs = (tries: number): number => BACKOFF_MS[Math.min(tries, BACKOFF_MS.length) - 1]!;
