import type { ApplyAttempt, ApplyStarted, ItemId, PlanEvent, PlanId, TenantId } from '@countersign/contracts';
import { GateError, digestOf, type Decision } from '@countersign/kernel';
import { isAllowed, openAttemptOf, outcomeOf, previewOf, type ItemState } from '../item.js';
import { needsStart } from '../reactions.js';
import { isStopped, type PlanState } from '../state.js';

export interface StartApply {
  readonly tenant: TenantId;
  readonly planId: PlanId;
  readonly items: readonly ItemId[];
  readonly lease: ApplyStarted['lease'];
  readonly startedAt: string;
  /**
   * Set only for what `recoverAttempts` or `afterReconcile` named `retry`: an open attempt under the same message may
   * then be followed by another, under the same key and a higher fence.
   */
  readonly recovering?: boolean;
}

/** Those of the wanted items that this append starts. What is not in here must not be called. */
export interface ApplyBegun {
  readonly attempts: readonly ApplyAttempt[];
  /** The plan was stopped first, so nothing was started. */
  readonly stopped?: true;
}

/** The same for every attempt of one item, and for no other item of any tenant. */
export const applyKeyOf = (tenant: TenantId, plan: PlanId, item: ItemId): string => digestOf({ tenant, plan, item });

/**
 * One executor wins the start of an item, by the append's expectation. An item that another one has started or ended
 * is left out. Reads are not started: they are simply called. Nothing of a plan that was stopped is started, which the same
 * expectation proves.
 * @throws GateError FORBIDDEN when an item is not allowed, NOT_FOUND when there is none of that id
 */
export function startApply(plan: PlanState, command: StartApply): Decision<PlanEvent, ApplyBegun> {
  const ready = [...new Set(command.items)].map((itemId) => allowedItem(plan, itemId))
    .filter((item) => needsStart(item) && outcomeOf(item) === undefined && mayStart(item, command));
  if (isStopped(plan)) return { reply: { attempts: [], stopped: true } };
  if (ready.length === 0) return { reply: { attempts: [] } };
  const attempts = ready.map((item, index) => attemptOf(item, plan.fence + 1 + index, command));
  return {
    event: { type: 'plan.ApplyStarted', data: { attempts, lease: command.lease, startedAt: command.startedAt } },
    reply: { attempts },
  };
}

function allowedItem(plan: PlanState, itemId: ItemId): ItemState {
  const item = plan.items.get(itemId);
  if (!item) throw new GateError('NOT_FOUND', `The plan has no item ${itemId}`);
  if (!isAllowed(item)) throw new GateError('FORBIDDEN', `Item ${itemId} is not allowed and must not be started`, { itemId });
  return item;
}

function mayStart(item: ItemState, { lease, recovering }: StartApply): boolean {
  const open = openAttemptOf(item);
  if (!open) return true;
  return recovering === true && open.lease.stream === lease.stream && open.lease.sequence === lease.sequence;
}

function attemptOf(item: ItemState, fence: number, { tenant, planId }: StartApply): ApplyAttempt {
  const preview = previewOf(item);
  return {
    itemId: item.itemId,
    attempt: item.attempts.length + 1,
    fence,
    idempotencyKey: applyKeyOf(tenant, planId, item.itemId),
    ...(preview && 'tree' in preview && preview.fingerprint !== undefined ? { expectedFingerprint: preview.fingerprint } : {}),
  };
}
