import type { ItemId, PlanEvent } from '@countersign/contracts';
import type { Decision } from '@countersign/kernel';
import { isAsked } from '../item.js';
import type { PlanState } from '../state.js';

export interface ItemsOverdue { readonly expired: readonly ItemId[] }

/** Denies the asked items whose absolute expiry has come. @param command.at RFC 3339, UTC */
export function expireItems(plan: PlanState, { at }: { readonly at: string }): Decision<PlanEvent, ItemsOverdue> {
  const expired = [...plan.items.values()]
    .filter((item) => isAsked(item) && item.verdict?.expiresAt !== undefined && Date.parse(item.verdict.expiresAt) <= Date.parse(at))
    .map((item) => item.itemId);
  return expired.length === 0
    ? { reply: { expired } }
    : { event: { type: 'plan.ItemsExpired', data: { items: expired, at } }, reply: { expired } };
}
