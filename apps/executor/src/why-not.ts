import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, sessionKey, type ProviderFailure } from '@countersign/contracts';
import { isOutdated, type ItemState } from '@countersign/domain-plan';
import { isOpen } from '@countersign/domain-session';
import { isGateError } from '@countersign/kernel';
import { failure } from '@countersign/providers';
import { leaseOver, type ExecutorParts, type Work } from './work.js';

const ASK_AGAIN_MS = 200;

/** As the leader has it: what has ended is not started. A session that nobody opened is not open. */
export async function sessionIsOpen({ key }: Work, parts: ExecutorParts): Promise<boolean> {
  return isOpen((await parts.sessions.fresh(sessionKey(key.tenant, key.session))).state);
}

/** Why an allowed item must not be called now; undefined: it may. @param open the session, as the leader just said */
export function whyNot(item: ItemState, open: boolean, now: Date): ProviderFailure | undefined {
  if (!open) return failure('cancelled', 'The session ended before the call was made');
  if (!isOutdated(item, now)) return undefined;
  return failure('precondition_failed', `The call was allowed more than ${LIMITS.verdictGoodForMs / 60_000} minutes ago; propose it anew`);
}

/**
 * The same for an item that is under way: it has waited, or is to be called again. What was started must come to an end that is
 * known, so the leader is asked until it answers.
 * @throws GateError UNAVAILABLE when the lease ended first
 */
export async function whyNotAnyMore(item: ItemState, work: Work, parts: ExecutorParts): Promise<ProviderFailure | undefined> {
  for (;;) {
    try {
      return whyNot(item, await sessionIsOpen(work, parts), parts.now());
    } catch (error) {
      if (!isGateError(error, 'UNAVAILABLE')) throw error;
      await sleep(ASK_AGAIN_MS, undefined, { signal: work.signal }).catch(() => { throw leaseOver(); });
    }
  }
}
