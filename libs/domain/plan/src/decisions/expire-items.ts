import type { ItemId, PlanEvent } from '@countersign/contracts';
import type { Decision } from '@countersign/kernel';
import { expiryOf } from '../item.js';
import { mayExpire, type PlanState } from '../state.js';

export interface ItemsOverdue { readonly expired: readonly ItemId[] }

/** Denies the asked items whose absolute expiry has come, also those whose correction waits for its verdict. @param command.at RFC 3339, UTC */
export function expireItems(plan: PlanState, { at }: { readonly at: string }): Decision<PlanEvent, ItemsOverdue> {
  const expired = [...plan.items.values()]
    .filter((item) => mayExpire(item) && isOver(expiryOf(item), at))
    .map((item) => item.itemId);
  return expired.length === 0
    ? { reply: { expired } }
    : { event: { type: 'plan.ItemsExpired', data: { items: expired, at } }, reply: { expired } };
}

/** At the very moment it is over. @param at RFC 3339, UTC */
export const isOver = (expiresAt: string | undefined, at: string): boolean => expiresAt !== undefined && Date.parse(at) >= Date.parse(expiresAt);
