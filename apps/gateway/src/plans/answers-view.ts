import type { ItemVote, JsonObject } from '@countersign/contracts';
import type { AnswerView, CorrectionView, OriginalInputView, PlanItemView, VoteView } from '@countersign/contracts/http';
import type { ItemState } from '@countersign/domain-plan';
import { bodyOf, type Bodies } from './bodies.js';

/** What people have said of an item: votes, the answer, corrections with what was proposed. Absent members are left out. */
export function answersGiven(item: ItemState, bodies: Bodies): Pick<PlanItemView, 'answer' | 'votes' | 'original' | 'corrections'> {
  return {
    ...(item.answer ? { answer: answerView(item.answer) } : {}),
    ...(item.votes.length === 0 ? {} : { votes: item.votes.map(voteView) }),
    ...(item.corrections.length === 0 ? {} : {
      original: inputBodyOf(item.proposed.input.digest, bodies),
      corrections: item.corrections.map((correction) => correctionView(correction, bodies)),
    }),
  };
}

/** What is recorded of the verdict beside the decision itself. The oldest verdicts have none of it. */
export function verdictDetails({ verdict }: ItemState): Pick<PlanItemView, 'terms' | 'layers' | 'shadow'> {
  if (!verdict) return {};
  const { terms, layers, shadow } = verdict;
  return { ...(terms ? { terms } : {}), ...(layers ? { layers } : {}), ...(shadow ? { shadow } : {}) };
}

export function inputBodyOf(digest: string, bodies: Bodies): OriginalInputView {
  const body = bodyOf(bodies, digest);
  return 'value' in body ? { input: body.value as JsonObject, inputDigest: digest } : { inputAbsent: body.absent, inputDigest: digest };
}

function answerView({ decision, principal, reason, answeredAt, scope, grant, roles }: NonNullable<ItemState['answer']>): AnswerView {
  return {
    decision, principal, ...(reason === undefined ? {} : { reason }), at: answeredAt,
    ...(scope === 'once' ? {} : { scope }),
    ...(grant ? { grant: { grantId: grant.grantId, ...(grant.narrow ? { narrow: grant.narrow } : {}), ...(grant.expiresAt === undefined ? {} : { expiresAt: grant.expiresAt }) } } : {}),
    ...(roles ? { roles } : {}),
  };
}

const voteView = ({ principal, reason, answeredAt, roles }: ItemVote): VoteView =>
  ({ principal, ...(reason === undefined ? {} : { reason }), at: answeredAt, ...(roles ? { roles } : {}) });

function correctionView({ correction, input, principal, reason, correctedAt }: ItemState['corrections'][number], bodies: Bodies): CorrectionView {
  return { correction, principal, ...(reason === undefined ? {} : { reason }), at: correctedAt, ...inputBodyOf(input.digest, bodies) };
}
