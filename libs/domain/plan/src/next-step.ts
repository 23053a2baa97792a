import type { ItemId } from '@countersign/contracts';
import { expiryOf, isPending, type ItemState } from './item.js';
import { mayExpire, type PlanState } from './state.js';

/** What time asks of a plan. The timer's driver performs it; the fold ignores a step that came too late. */
export type NextStep =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'wait'; readonly until: Date }
  /** Asked items whose time is over, also those whose correction waits for a verdict: deny them. */
  | { readonly kind: 'expire'; readonly items: readonly ItemId[] }
  /** No verdict in time: deny what is pending (`policy:unavailable`). */
  | { readonly kind: 'close' };

/**
 * The process of planner's timer as a pure function of the fold and the time: expiry first (it names its items), then
 * the missing verdict, else the nearest of what may still come. Nothing waits without a rule that says so.
 */
export function nextStep(plan: PlanState, now: Date): NextStep {
  if (!plan.proposed || plan.closed) return { kind: 'nothing' };
  const items = [...plan.items.values()];
  const asks = items.flatMap((item) => (mayExpire(item) && expiryOf(item) !== undefined
    ? [{ itemId: item.itemId, at: Date.parse(expiryOf(item)!) }] : []));
  const over = asks.filter((ask) => ask.at <= now.getTime());
  if (over.length > 0) return { kind: 'expire', items: over.map((ask) => ask.itemId) };
  const verdicts = items.filter(isPending).map((item) => verdictDueAt(plan, item));
  if (verdicts.some((due) => due <= now.getTime())) return { kind: 'close' };
  const due = [...asks.map((ask) => ask.at), ...verdicts];
  return due.length === 0 ? { kind: 'nothing' } : { kind: 'wait', until: new Date(Math.min(...due)) };
}

/** Of the last correction, else of the proposal. */
const verdictDueAt = (plan: PlanState, item: ItemState): number =>
  Date.parse(item.corrections.at(-1)?.verdictDueAt ?? plan.proposed?.verdictDueAt ?? '');
