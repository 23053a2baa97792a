import { LIMITS, type JsonObject, type PlanEvent } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { planFacts, scenario } from '@countersign/testkit';
import { currentInputOf, decisionOf, expiryOf, isPending } from '../item.js';
import { itemsToJudge, itemsToPreview } from '../reactions.js';
import { planFold } from '../state.js';
import { correctItem, type CorrectionOfItem } from './correct-item.js';

const { answer, answered, at, closed, corrected, correction, evaluated, evaluatedIn, itemsExpired, previewTree, previewed, proposed, sealedInline, terms, verdict, vote, voted } = planFacts;
const on = scenario(planFold, correctItem);
const asked = [proposed(['edit', 'read', 'write']), previewed(previewTree('i1')), evaluated(verdict('i1', 'ask'), verdict('i2', 'allow'))];

const to = (input: JsonObject, change: Partial<CorrectionOfItem> = {}): CorrectionOfItem => {
  const { correctedAt, correction: _number, ...fact } = correction('i1', input);
  return { ...fact, saidAt: correctedAt, decidedAt: correctedAt, ...change };
};
const itemOf = (...events: PlanEvent[]) => foldOf(planFold, [...asked, ...events]).items.get('i1')!;
const fixed = corrected(correction('i1', { n: 9 }));

describe('correctItem', () => {
  it('puts other arguments in the place of those that were shown', () => {
    on.given(asked).when(to({ n: 9 })).then([fixed]).thenReply({ repeated: false });
    const reason = corrected(correction('i1', { n: 9 }, { reason: 'typo' }));
    on.given(asked).when(to({ n: 9 }, { reason: 'typo' })).then([reason]);
  });

  it('gives the same person correcting the same in the same way the stored result', () => {
    on.given([...asked, fixed]).when(to({ n: 9 }, { saidAt: at(500), decidedAt: at(500) })).thenNothing().thenReply({ repeated: true });
    on.given([...asked, fixed, evaluatedIn(2, verdict('i1', 'deny'))]).when(to({ n: 9 })).thenNothing();
    on.given([...asked, fixed]).when(to({ n: 9 }, { principal: 'ann' })).thenRefused('ITEM_CHANGED', { itemId: 'i1' });
    on.given([...asked, fixed]).when(to({ n: 8 })).thenRefused('ITEM_CHANGED');
  });

  it('refuses what does not wait for a person, as an answer would be', () => {
    on.given(asked).when(to({ n: 9 }, { itemId: 'i9' })).thenRefused('NOT_FOUND');
    on.given(asked).when(to({ n: 9 }, { itemId: 'i2' })).thenRefused('NOT_ASKED');
    on.given(asked).when(to({ n: 9 }, { itemId: 'i3' })).thenRefused('NOT_ASKED');
    on.given(asked).when(to({ n: 9 }, { itemDigest: 'another' })).thenRefused('ITEM_CHANGED', { itemId: 'i1', itemDigest: 'digest-of-i1' });
    on.given([...asked, answered(answer('i1', 'approve'))]).when(to({ n: 9 })).thenRefused('ALREADY_RESOLVED');
    on.given([...asked, closed('cancelled')]).when(to({ n: 9 })).thenRefused('ALREADY_RESOLVED');
    on.given([...asked, itemsExpired(1_800, 'i1')]).when(to({ n: 9 })).thenRefused('APPROVAL_EXPIRED');
    on.given(asked).when(to({ n: 9 }, { decidedAt: at(1_800) })).thenRefused('APPROVAL_EXPIRED');
    on.given(asked).when(to({ n: 9 }, { saidAt: at(1_800) })).thenRefused('APPROVAL_EXPIRED');
  });

  it('is for those whom the terms name, with the reason they want', () => {
    const strict = [proposed(['edit']), evaluated(verdict('i1', 'ask', { terms: terms({ roles: ['security'], requireReason: true, notRequester: true }) }))];
    on.given(strict).when(to({ n: 9 })).thenRefused('FORBIDDEN');
    on.given(strict).when(to({ n: 9 }, { roles: ['security'] })).thenRefused('REASON_REQUIRED');
    on.given(strict).when(to({ n: 9 }, { roles: ['security'], reason: 'typo', principal: 'agent' })).thenReply({ repeated: false });
  });

  it('refuses arguments that are no others', () => {
    on.given(asked).when(to({ n: 0 })).thenRefused('INVALID_REQUEST');
  });

  it('is bounded, and the count is the item’s own', () => {
    const rounds = Array.from({ length: LIMITS.correctionsPerItem }, (_, index) => [
      corrected(correction('i1', { n: 10 + index }, { correction: index + 1 })), evaluatedIn(index + 2, verdict('i1', 'ask')),
    ]).flat();
    on.given([...asked, ...rounds.slice(0, -2)]).when(to({ n: 99 })).thenReply({ repeated: false });
    on.given([...asked, ...rounds]).when(to({ n: 99 })).thenRefused('TOO_MANY_CORRECTIONS');
  });
});

describe('a corrected item', () => {
  it('is pending again: to be previewed and judged by its new arguments', () => {
    const plan = foldOf(planFold, [...asked, fixed]);
    const item = plan.items.get('i1')!;
    expect([isPending(item), item.preview, item.verdict, decisionOf(item)]).toEqual([true, undefined, undefined, { decision: 'pending' }]);
    expect(currentInputOf(item)).toEqual(sealedInline({ n: 9 }));
    expect(itemsToPreview(plan).map(({ itemId }) => itemId)).toEqual(['i1']);
    expect(itemsToJudge(plan, new Date(at(21))).map(({ itemId }) => itemId)).toEqual(['i3']);
    expect(itemsToJudge(plan, new Date(at(26))).map(({ itemId }) => itemId)).toEqual(['i1', 'i3']);
  });

  it('keeps the original, what was shown of it and who voted for that', () => {
    const item = itemOf(voted(vote('i1', 'ann')), fixed);
    expect(item.proposed.input).toEqual(sealedInline({ n: 0 }));
    expect(item.votes).toEqual([]);
    expect(item.earlier).toEqual([{ verdict: verdict('i1', 'ask'), preview: previewTree('i1'), votes: [vote('i1', 'ann')], round: 1, judgedAt: at(1) }]);
    expect(expiryOf(item)).toBe(at(1_800));
  });

  it('takes no preview of the arguments it had before', () => {
    const late = [proposed(['edit']), evaluated(verdict('i1', 'ask')), fixed];
    expect(foldOf(planFold, [...late, previewed(previewTree('i1'))]).items.get('i1')!.preview).toBeUndefined();
    const fresh = { ...previewTree('i1'), correction: 1 };
    expect(foldOf(planFold, [...late, previewed(fresh)]).items.get('i1')!.preview).toEqual(fresh);
  });

  it('takes no second correction of the same number, and none where nobody is asked', () => {
    expect(itemOf(fixed, evaluatedIn(2, verdict('i1', 'ask')), corrected(correction('i1', { n: 5 }))).corrections).toHaveLength(1);
    expect(itemOf(answered(answer('i1', 'approve')), fixed).corrections).toEqual([]);
  });
});
