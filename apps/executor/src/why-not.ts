import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, sessionKey, type ProviderFailure } from '@countersign/contracts';
import { isOutdated, isStopped, type ItemState } from '@countersign/domain-plan';
import { isOpen } from '@countersign/domain-session';
import { isGateError } from '@countersign/kernel';
import { failure } from '@countersign/providers';
import { leaseOver, type ExecutorParts, type Work } from './work.js';

const ASK_AGAIN_MS = 200;

/** Why nothing of the plan may be called any more, as the leader has it; undefined: it may. A session that nobody opened is not open. */
export async function whyStopped(work: Work, parts: ExecutorParts): Promise<ProviderFailure | undefined> {
  const [ended, plan] = await Promise.all([whyNotInSession(work, parts), parts.plans.fresh(work.key)]);
  return ended ?? (isStopped(plan.state) ? planCancelled() : undefined);
}

/** The same for what is started by an append to the plan: its expectation proves more of the plan than a read could. */
export async function whyNotInSession({ key }: Work, parts: ExecutorParts): Promise<ProviderFailure | undefined> {
  const { state } = await parts.sessions.fresh(sessionKey(key.tenant, key.session));
  return isOpen(state) ? undefined : sessionEnded();
}

export const planCancelled = (): ProviderFailure => failure('cancelled', 'The plan was cancelled before the call was made');
export const sessionEnded = (): ProviderFailure => failure('cancelled', 'The session ended before the call was made');

/** Why an allowed item must not be called now; undefined: it may. @param stopped what `whyStopped` just said */
export function whyNot(item: ItemState, stopped: ProviderFailure | undefined, now: Date): ProviderFailure | undefined {
  if (stopped) return stopped;
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
      return whyNot(item, await whyStopped(work, parts), parts.now());
    } catch (error) {
      if (!isGateError(error, 'UNAVAILABLE')) throw error;
      await sleep(ASK_AGAIN_MS, undefined, { signal: work.signal }).catch(() => { throw leaseOver(); });
    }
  }
}
