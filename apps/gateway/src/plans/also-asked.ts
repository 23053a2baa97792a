import type { ItemId, PlanId } from '@countersign/contracts';
import type { ItemRefView } from '@countersign/contracts/http';
import { isAsked, type PlanState } from '@countersign/domain-plan';

/** Other items of the plan that are asked about the same operation: a grant does not answer them, and they are offered as one batch. */
export function alsoAsked(planId: PlanId, plan: PlanState, itemId: ItemId): ItemRefView[] {
  const operation = plan.items.get(itemId)?.proposed.operation;
  return [...plan.items.values()]
    .filter((item) => item.itemId !== itemId && item.proposed.operation === operation && isAsked(item))
    .map((item) => ({ planId, itemId: item.itemId, itemDigest: item.verdict!.itemDigest }));
}
