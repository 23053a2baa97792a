import type { AnswerGrant, GrantNarrow, ItemAnswer, ItemId, ItemVote, PlanEvent } from '@countersign/contracts';
import { GateError, canonicalJson, type Decision } from '@countersign/kernel';
import { approvalOf, type ItemState } from '../item.js';
import type { PlanState } from '../state.js';
import { alreadyResolved, notByTerms, notOffered, notTheirs, notWaiting, termsOf, type Said } from './answer-rules.js';

/** One person's answer. */
export interface AnswerOfItem extends Said, Pick<ItemAnswer, 'itemId' | 'decision' | 'scope' | 'assertion'> {
  /** With scope session or always. */
  readonly narrow?: GrantNarrow;
  /** With scope always. RFC 3339, UTC. */
  readonly grantExpiresAt?: string;
  /** What policy said the grant would be. Without it an answer of scope session or always is only looked at (`checkAnswer`), never accepted. */
  readonly reserved?: Pick<AnswerGrant, 'grantId' | 'reservation'>;
}

export type AnswerResult =
  | {
    readonly ok: true;
    readonly repeated: boolean;
    /** The quorum is not complete yet. */
    readonly pending?: { readonly approvals: number; readonly quorum: number };
    readonly grantId?: string;
  }
  | { readonly ok: false; readonly error: GateError }
  /** One event holds answers or votes, not both, and others of the group went first: decide it again on the next fold. */
  | { readonly ok: false; readonly deferred: true };

/** What one accepted answer becomes. */
type Kept = { readonly answer: ItemAnswer } | { readonly vote: ItemVote };
type Judged = { readonly result: AnswerResult; readonly kept?: Kept };

/**
 * Any number of answers on one fold: the first of an item wins, in the order given. One refused answer does not refuse
 * the others; the reply has one result for each, in their order. An approval that does not complete its quorum is a vote.
 */
export function answerItems(plan: PlanState, answers: readonly AnswerOfItem[]): Decision<PlanEvent, readonly AnswerResult[]> {
  const items = new Map(plan.items);
  const deferred = new Set<ItemId>();
  const kept: Kept[] = [];
  const reply = answers.map((command): AnswerResult => {
    const judged = judgeAnswer({ ...plan, items }, command);
    if (deferred.has(command.itemId)) return { ok: false, deferred: true };
    if (!judged.kept) return judged.result;
    if (kept[0] && isVote(kept[0]) !== isVote(judged.kept)) {
      deferred.add(command.itemId);
      return { ok: false, deferred: true };
    }
    kept.push(judged.kept);
    items.set(command.itemId, withKept(items.get(command.itemId)!, judged.kept));
    return judged.result;
  });
  const event = eventOf(kept);
  return event ? { event, reply } : { reply };
}

/** What `answerItems` would say of this one alone, before anything is reserved for it. */
export const checkAnswer = (plan: PlanState, command: AnswerOfItem): AnswerResult =>
  judgeAnswer(plan, { ...command, reserved: command.reserved ?? { grantId: '' } }).result;

function judgeAnswer(plan: PlanState, command: AnswerOfItem): Judged {
  const item = plan.items.get(command.itemId);
  if (!item) return refused(new GateError('NOT_FOUND', `The plan has no item ${command.itemId}`));
  const stored = storedResult(item, command);
  if (stored) return { result: stored };
  const refusal = notWaiting(item, command) ?? notByTerms(item, command)
    ?? (command.decision === 'approve' ? notTheirs(item, plan.proposed?.requester, command.principal) : undefined)
    ?? notOffered(item, command);
  if (refusal) return refused(refusal);
  if (command.scope !== 'once' && !command.reserved) return refused(new GateError('INTERNAL', 'A grant was not reserved before its answer'));
  return accepted(item, command);
}

const refused = (error: GateError): Judged => ({ result: { ok: false, error } });

function accepted(item: ItemState, command: AnswerOfItem): Judged {
  const approvals = item.votes.length + 1;
  const { quorum } = termsOf(item);
  if (command.decision === 'approve' && approvals < quorum) {
    return { result: { ok: true, repeated: false, pending: { approvals, quorum } }, kept: { vote: voteOf(command) } };
  }
  const answer = answerOf(command);
  return { result: { ok: true, repeated: false, ...grantIdOf(answer) }, kept: { answer } };
}

/** The same person saying the same again, about the same thing; when they said it does not matter. Undefined: it is no repetition. */
function storedResult(item: ItemState, command: AnswerOfItem): AnswerResult | undefined {
  const { answer, verdict } = item;
  if (verdict?.itemDigest !== command.itemDigest) return answer ? { ok: false, error: alreadyResolved(item) } : undefined;
  if (answer && isSame(answer, command)) return { ok: true, repeated: true, ...grantIdOf(answer) };
  // a vote stands for its approval, however the quorum was completed; whose approval came to nothing is told so
  const voted = command.decision === 'approve' && item.votes.some(({ principal }) => principal === command.principal);
  if (!answer) return voted && isWaiting(item, command) ? { ok: true, repeated: true, pending: approvalOf(item) } : undefined;
  const stands = voted && answer.decision === 'approve' && command.scope === 'once';
  return stands ? { ok: true, repeated: true } : { ok: false, error: alreadyResolved(item) };
}

const isWaiting = (item: ItemState, command: AnswerOfItem): boolean => notWaiting(item, command) === undefined;

function isSame(answer: ItemAnswer, command: AnswerOfItem): boolean {
  return answer.principal === command.principal && answer.decision === command.decision && answer.scope === command.scope
    && answer.reason === command.reason && answer.grant?.expiresAt === command.grantExpiresAt
    && canonicalJson(answer.grant?.narrow ?? null) === canonicalJson(command.narrow ?? null);
}

const grantIdOf = ({ grant }: ItemAnswer): { readonly grantId?: string } => (grant ? { grantId: grant.grantId } : {});

function answerOf(command: AnswerOfItem): ItemAnswer {
  const { itemId, decision, scope, narrow, grantExpiresAt, reserved } = command;
  const grant = scope === 'once' || !reserved ? {} : { grant: {
    ...reserved, ...(narrow === undefined ? {} : { narrow }), ...(grantExpiresAt === undefined ? {} : { expiresAt: grantExpiresAt }),
  } };
  return { itemId, decision, scope, ...grant, ...personOf(command) };
}

const voteOf = (command: AnswerOfItem): ItemVote =>
  ({ itemId: command.itemId, decision: 'approve', itemDigest: command.itemDigest, ...personOf(command) });

/** A clock that is ahead does not make an answer last longer: of the two times the earlier one is kept. The signed one stands in the assertion. */
function personOf({ principal, roles, reason, saidAt, decidedAt, assertion }: AnswerOfItem): Omit<ItemVote, 'itemId' | 'decision' | 'itemDigest'> {
  return {
    principal, ...(roles === undefined ? {} : { roles }), ...(reason === undefined ? {} : { reason }),
    answeredAt: Date.parse(saidAt) > Date.parse(decidedAt) ? decidedAt : saidAt, assertion,
  };
}

const isVote = (kept: Kept): boolean => 'vote' in kept;

const withKept = (item: ItemState, kept: Kept): ItemState =>
  ('vote' in kept ? { ...item, votes: [...item.votes, kept.vote] } : { ...item, answer: kept.answer });

function eventOf(kept: readonly Kept[]): PlanEvent | undefined {
  if (kept.length === 0) return undefined;
  const votes = kept.flatMap((one) => ('vote' in one ? [one.vote] : []));
  return votes.length > 0
    ? { type: 'plan.ItemsVoted', data: { votes } }
    : { type: 'plan.ItemsAnswered', data: { answers: kept.flatMap((one) => ('answer' in one ? [one.answer] : [])) } };
}
