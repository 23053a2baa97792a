import { notByTerms, notTheirs, type ItemState, type PlanState } from '@countersign/domain-plan';
import { standingOf, type Caller } from '../auth/caller.js';

/**
 * Why this key may not approve the item as it stands; undefined: it may. By the same rules by which planner decides, which has
 * the last word. Whether the terms want a reason is not asked here: it can still be given.
 */
export function mayNotApprove(plan: PlanState, item: ItemState, caller: Caller): string | undefined {
  const { principal, roles } = caller;
  if (!roles.includes('approver')) return 'The key has not the role approver';
  if (item.votes.some((vote) => vote.principal === principal)) return `${principal} approved it already; somebody else must`;
  const said = { itemDigest: '', principal, roles: standingOf(caller), reason: 'any', saidAt: '', decidedAt: '' };
  return (notByTerms(item, said) ?? notTheirs(item, plan.proposed?.requester, principal))?.message;
}
