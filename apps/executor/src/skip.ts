import { LIMITS, type ItemOutcome, type PlanEvent, type ProviderFailure, type StoredEvent } from '@countersign/contracts';
import { itemsToApply, itemsToSkip, needsStart, recordOutcomes, type ItemState, type OutcomesRecorded, type PlanState } from '@countersign/domain-plan';
import { causedBy } from '@countersign/event-log';
import type { Decision } from '@countersign/kernel';
import type { Handled } from '@countersign/transport-jetstream';
import { judgeStopped } from './judge-result.js';
import { recordEnded } from './record-ended.js';
import { endOfLostAttempt } from './recover.js';
import { planCancelled, sessionEnded } from './why-not.js';
import type { ExecutorParts, Wanted, Work } from './work.js';

/** Clocks of two processes differ by less. */
const CLOCKS_DIFFER_MS = 5_000;

/** An allowed item that must not be called any more. */
export interface Stopped extends Wanted { readonly why: ProviderFailure }

/** Those that never started do not start any more; of an earlier attempt it is said whether it may have taken effect. */
export async function recordStopped(stopped: readonly Stopped[], work: Work, parts: ExecutorParts): Promise<void> {
  const begun = stopped.filter(({ item }) => item.attempts.length > 0);
  await recordEnded(begun.map(({ item, why, doubt }) => endOfLostAttempt(item, judgeStopped(why, doubt), parts)), work, parts);
  const unbegun = new Map(stopped.filter(({ item }) => item.attempts.length === 0).map(({ item, why }) => [item.itemId, why]));
  await recordSkipped(unbegun, work, parts);
}

/**
 * In reaction to `plan.Closed` itself. Of what needs a start it is certain that nobody calls it: no start can follow the closing. A read
 * leaves no trace while it runs, so it is left to the message that allowed it for as long as a call begun before the closing may take.
 */
export async function skipAfterClosing(event: StoredEvent<PlanEvent>, parts: ExecutorParts): Promise<Handled> {
  const { state: plan } = await parts.plans.get(event.key, event.sequence);
  if (!plan.closed) return;
  const why = plan.closed.reason === 'session_ended' ? sessionEnded() : planCancelled();
  const closedAt = Date.parse(plan.closed.at);
  const leftMs = ({ operation }: ItemState): number =>
    closedAt + (operation.timeoutMs ?? LIMITS.applyTimeoutMs) + CLOCKS_DIFFER_MS - parts.now().getTime();
  const items = itemsToSkip(plan).map((item) => ({ item, leftMs: needsStart(item) ? 0 : leftMs(item) }));
  const due = items.filter((one) => !(one.leftMs > 0));
  await recordSkipped(new Map(due.map(({ item }) => [item.itemId, why])), { key: event.key, meta: causedBy(event, 'executor'), atLeast: event.sequence }, parts);
  const later = items.filter((one) => one.leftMs > 0).map((one) => one.leftMs);
  if (later.length > 0) return { retryInMs: Math.min(...later) };
}

async function recordSkipped(why: ReadonlyMap<string, ProviderFailure>, { key, meta, atLeast }: Pick<Work, 'key' | 'meta' | 'atLeast'>, parts: ExecutorParts): Promise<void> {
  if (why.size === 0) return;
  const at = parts.now().toISOString();
  await parts.plans.transact(key, ({ state }) => skipUnstarted(state, why, at), { meta, atLeast });
}

/** What another executor has started meanwhile is left as it is. */
function skipUnstarted(plan: PlanState, why: ReadonlyMap<string, ProviderFailure>, at: string): Decision<PlanEvent, OutcomesRecorded> {
  const outcomes = [...itemsToApply(plan), ...itemsToSkip(plan)].flatMap(({ itemId, attempts }): ItemOutcome[] => {
    const error = why.get(itemId);
    return error && attempts.length === 0 ? [{ itemId, attempt: 0, outcome: 'skipped', error, startedAt: at, endedAt: at }] : [];
  });
  return recordOutcomes(plan, { outcomes });
}
