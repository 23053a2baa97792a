import type { ItemAnswer, ItemId, PlanEvent } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { decisionOf, isPending, type ItemState } from '../item.js';
import type { PlanState } from '../state.js';

/** One person's answer, its assertion already verified. `answeredAt` is the time of the command. */
export interface AnswerOfItem extends ItemAnswer {
  /** The item as the person saw it. */
  readonly itemDigest: string;
}

export type AnswerResult =
  | { readonly ok: true; readonly repeated: boolean }
  | { readonly ok: false; readonly error: GateError };

/**
 * Any number of answers on one fold: the first of an item wins, in the order given. One refused answer does not refuse
 * the others; the reply has one result for each, in their order.
 */
export function answerItems(plan: PlanState, answers: readonly AnswerOfItem[]): Decision<PlanEvent, readonly AnswerResult[]> {
  const accepted = new Map<ItemId, ItemAnswer>();
  const reply = answers.map((command): AnswerResult => {
    const item = plan.items.get(command.itemId);
    if (!item) return refused(new GateError('NOT_FOUND', `The plan has no item ${command.itemId}`));
    const winner = accepted.get(command.itemId);
    const result = answerItem(winner ? { ...item, answer: winner } : item, command);
    if (result.ok && !result.repeated) accepted.set(command.itemId, answerOf(command));
    return result;
  });
  return accepted.size === 0
    ? { reply }
    : { event: { type: 'plan.ItemsAnswered', data: { answers: [...accepted.values()] } }, reply };
}

function answerItem(item: ItemState, command: AnswerOfItem): AnswerResult {
  if (item.answer) return isRepeat(item, command) ? { ok: true, repeated: true } : refused(alreadyResolved(item));
  if (item.expiredAt) return refused(expired(item));
  if (item.closed) return refused(alreadyResolved(item));
  if (item.verdict?.decision !== 'ask') return refused(notAsked(item));
  if (isOver(item.verdict.expiresAt, command.answeredAt)) return refused(expired(item));
  if (item.verdict.itemDigest !== command.itemDigest) return refused(itemChanged(item));
  return { ok: true, repeated: false };
}

/** An answer at the very moment of expiry is late. */
const isOver = (expiresAt: string | undefined, at: string): boolean => expiresAt !== undefined && Date.parse(at) >= Date.parse(expiresAt);

const refused = (error: GateError): AnswerResult => ({ ok: false, error });

function answerOf({ itemDigest: _named, ...answer }: AnswerOfItem): ItemAnswer {
  return answer;
}

/** The same person saying the same again, about the same thing; when they said it does not matter. */
function isRepeat(item: ItemState, command: AnswerOfItem): boolean {
  const { answer, verdict } = item;
  return answer !== undefined && answer.principal === command.principal && answer.decision === command.decision
    && answer.scope === command.scope && answer.reason === command.reason && verdict?.itemDigest === command.itemDigest;
}

function alreadyResolved(item: ItemState): GateError {
  const verdict = decisionOf(item);
  return new GateError('ALREADY_RESOLVED', `Item ${item.itemId} was decided before: ${verdict.decision} by ${verdict.decidedBy}`, { itemId: item.itemId, verdict });
}

function notAsked(item: ItemState): GateError {
  const verdict = decisionOf(item);
  const why = isPending(item) ? 'it has no verdict yet' : `${verdict.decision} by ${verdict.decidedBy}`;
  return new GateError('NOT_ASKED', `Item ${item.itemId} does not wait for a person: ${why}`, { itemId: item.itemId, verdict });
}

function expired(item: ItemState): GateError {
  return new GateError('APPROVAL_EXPIRED', `The time to answer item ${item.itemId} ended at ${item.verdict?.expiresAt ?? item.expiredAt}`, {
    itemId: item.itemId, expiresAt: item.verdict?.expiresAt ?? item.expiredAt,
  });
}

function itemChanged(item: ItemState): GateError {
  return new GateError('ITEM_CHANGED', `Item ${item.itemId} is no longer what the answer names; look at it again`, {
    itemId: item.itemId, itemDigest: item.verdict?.itemDigest,
  });
}
