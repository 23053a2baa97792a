import { LIMITS, type ItemId } from '@countersign/contracts';
import { isAllowed, isPending, isPreviewable, openAttemptOf, outcomeOf, type ItemState } from './item.js';
import { isStopped, type PlanState } from './state.js';

/** Pure answers to "what is due now?", one for each service that reacts to a plan's facts. */

const itemsWhere = (plan: PlanState, holds: (item: ItemState) => boolean): ItemState[] => [...plan.items.values()].filter(holds);

/** preview-fanout: previewable resource items that are pending and have no preview of their arguments as they stand now, nor a reason for its absence. */
export const itemsToPreview = (plan: PlanState): ItemState[] =>
  itemsWhere(plan, (item) => isPending(item) && isPreviewable(item) && !item.preview);

/** After this, policy judges without the nearest preview that is still to come. Undefined when none is. */
export function previewsDueAt(plan: PlanState): Date | undefined {
  const due = itemsToPreview(plan).map((item) => previewDueAt(plan, item));
  return due.length === 0 ? undefined : new Date(Math.min(...due));
}

/** policy: pending items that need no preview, have one, or have waited long enough for one. Corrected items are among them again. */
export const itemsToJudge = (plan: PlanState, now: Date): ItemState[] =>
  itemsWhere(plan, (item) => isPending(item) && (!isPreviewable(item) || item.preview !== undefined || now.getTime() >= previewDueAt(plan, item)));

/** Counted from when the arguments became what they are. */
function previewDueAt(plan: PlanState, item: ItemState): number {
  const since = item.corrections.at(-1)?.correctedAt ?? plan.proposed?.proposedAt ?? '';
  return Date.parse(since) + LIMITS.previewTimeoutMs + LIMITS.previewGraceMs;
}

/** executor: allowed items that have no end and no attempt under way; none of a plan that was stopped. Reads among them need no ApplyStarted. */
export const itemsToApply = (plan: PlanState): ItemState[] => (isStopped(plan) ? [] : itemsUnbegun(plan));

/** executor: the same items of a plan that was stopped. They are called no more, and that is their end. */
export const itemsToSkip = (plan: PlanState): ItemState[] => (isStopped(plan) ? itemsUnbegun(plan) : []);

const itemsUnbegun = (plan: PlanState): ItemState[] =>
  itemsWhere(plan, (item) => isAllowed(item) && outcomeOf(item) === undefined && openAttemptOf(item) === undefined);

/**
 * executor: what allows the item was said so long ago that it no longer stands for what is wanted; it is proposed anew
 * instead. Counted from the person's answer where there is one, else from the verdict.
 */
export function isOutdated(item: ItemState, now: Date): boolean {
  const saidAt = Date.parse(item.answer?.answeredAt ?? item.judgedAt ?? '');
  return !(now.getTime() - saidAt <= LIMITS.verdictGoodForMs);
}

/** Only what changes the world needs a durable start before its call; a read may simply be made again. */
export const needsStart = (item: ItemState): boolean => item.operation.kind === 'resource';

export type Recovery =
  /** Ask the provider what became of the attempt. */
  | { readonly itemId: ItemId; readonly attempt: number; readonly action: 'reconcile' }
  /** Call again under the same idempotency key and a new fence: the provider enforces the key. */
  | { readonly itemId: ItemId; readonly attempt: number; readonly action: 'retry' }
  /** Nobody can tell: a person resolves it. It is never run again on a guess. */
  | { readonly itemId: ItemId; readonly attempt: number; readonly action: 'indeterminate' };

/**
 * executor, on the redelivery of a message: what to do with each attempt that names this message as its lease and has
 * no outcome. Attempts under other leases are another delivery's business and are not named.
 */
export function recoverAttempts(plan: PlanState, lease: { readonly stream: string; readonly sequence: number }): Recovery[] {
  return [...plan.items.values()].flatMap((item) => {
    const open = openAttemptOf(item);
    if (!open || open.lease.stream !== lease.stream || open.lease.sequence !== lease.sequence) return [];
    return [{ itemId: item.itemId, attempt: open.attempt, action: recoveryOf(item) }];
  });
}

function recoveryOf(item: ItemState): Recovery['action'] {
  if (item.operation.reconcilable) return 'reconcile';
  return item.operation.enforcesKey ? 'retry' : 'indeterminate';
}

/**
 * What follows from the provider's answer to a reconcile. `settle`: the effect is there, write the outcome `applied`. That it is not
 * there is no proof: whoever made the attempt may only be asleep, and its call may still arrive. So it is made again only where a second
 * one does no harm.
 */
export function afterReconcile(item: ItemState, found: 'applied' | 'not_applied' | 'unknown'): 'settle' | 'retry' | 'indeterminate' {
  if (found === 'applied') return 'settle';
  const { enforcesKey, idempotent } = item.operation;
  return enforcesKey || (found === 'not_applied' && idempotent) ? 'retry' : 'indeterminate';
}
