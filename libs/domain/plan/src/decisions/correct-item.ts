import { LIMITS, type ItemCorrected, type PlanEvent } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { currentInputOf, type ItemState } from '../item.js';
import type { PlanState } from '../state.js';
import { notByTerms, notWaiting, type Said } from './answer-rules.js';
import type { Repeatable } from './propose.js';

/** One person's other arguments for an item. The caller has checked them against the schema that was snapshotted. */
export interface CorrectionOfItem extends Said, Pick<ItemCorrected, 'itemId' | 'input' | 'verdictDueAt' | 'assertion'> {
  readonly roles: readonly string[];
}

/**
 * Puts other arguments in place of what was shown: the item is pending again. It waits on for a person, whatever policy says then,
 * and its expiry runs on.
 * @throws GateError NOT_FOUND, ALREADY_RESOLVED, NOT_ASKED, APPROVAL_EXPIRED, ITEM_CHANGED, FORBIDDEN, REASON_REQUIRED,
 *   TOO_MANY_CORRECTIONS, INVALID_REQUEST for arguments that are no others
 */
export function correctItem(plan: PlanState, command: CorrectionOfItem): Decision<PlanEvent, Repeatable> {
  const item = plan.items.get(command.itemId);
  if (!item) throw new GateError('NOT_FOUND', `The plan has no item ${command.itemId}`);
  if (isRepeat(item, command)) return { reply: { repeated: true } };
  const refusal = notWaiting(item, command) ?? notByTerms(item, command) ?? notAnother(item, command);
  if (refusal) throw refusal;
  return { event: { type: 'plan.ItemCorrected', data: correctionOf(item, command) }, reply: { repeated: false } };
}

/** The last correction, by the same person on the same view: its result is stored. */
function isRepeat(item: ItemState, { principal, itemDigest, input, reason }: CorrectionOfItem): boolean {
  const last = item.corrections.at(-1);
  return last !== undefined && last.principal === principal && last.itemDigest === itemDigest && last.input.digest === input.digest && last.reason === reason;
}

function notAnother(item: ItemState, { input }: CorrectionOfItem): GateError | undefined {
  if (item.corrections.length >= LIMITS.correctionsPerItem) {
    return new GateError('TOO_MANY_CORRECTIONS', `Item ${item.itemId} was corrected ${item.corrections.length} times; approve or reject it as it is`, { itemId: item.itemId });
  }
  if (currentInputOf(item).digest !== input.digest) return undefined;
  return new GateError('INVALID_REQUEST', `Item ${item.itemId} has these arguments already; approve it instead`);
}

function correctionOf(item: ItemState, command: CorrectionOfItem): ItemCorrected {
  const { itemId, input, itemDigest, principal, roles, reason, saidAt, decidedAt, verdictDueAt, assertion } = command;
  return {
    itemId, correction: item.corrections.length + 1, input, itemDigest, principal, roles, ...(reason === undefined ? {} : { reason }),
    correctedAt: Date.parse(saidAt) > Date.parse(decidedAt) ? decidedAt : saidAt, verdictDueAt, assertion,
  };
}
