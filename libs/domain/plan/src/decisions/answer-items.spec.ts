import type { ItemAnswer } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { planFacts, scenario } from '@countersign/testkit';
import { planFold } from '../state.js';
import { answerItems, type AnswerOfItem } from './answer-items.js';

const { answer, answered, closed, evaluated, itemsExpired, proposed, verdict } = planFacts;
const on = scenario(planFold, answerItems);
const asked = [proposed(['write', 'write', 'read', 'write']), evaluated(verdict('i1', 'ask'), verdict('i2', 'ask'), verdict('i3', 'allow'))];
const naming = (said: ItemAnswer, itemDigest = `digest-of-${said.itemId}`): AnswerOfItem => ({ ...said, itemDigest });

/** Code and verdict of each result. */
const results = (events: typeof asked, ...answers: AnswerOfItem[]) =>
  answerItems(foldOf(planFold, events), answers).reply.map((result) => (result.ok ? { repeated: result.repeated } : { code: result.error.code, details: result.error.details }));

describe('answerItems', () => {
  it('appends all answers of one batch as one event', () => {
    on.given(asked).when([naming(answer('i1', 'approve')), naming(answer('i2', 'reject', { reason: 'not today' }))])
      .then([answered(answer('i1', 'approve'), answer('i2', 'reject', { reason: 'not today' }))])
      .thenReply([{ ok: true, repeated: false }, { ok: true, repeated: false }]);
  });

  it('lets the first of an item win, within a batch and after it', () => {
    const won = { itemId: 'i1', verdict: { decision: 'allow', decidedBy: 'person:ops' } };
    const first = naming(answer('i1', 'approve'));
    const second = naming(answer('i1', 'reject', { principal: 'other' }));
    expect(results(asked, first, second)).toEqual([{ repeated: false }, { code: 'ALREADY_RESOLVED', details: won }]);
    expect(results([...asked, answered(answer('i1', 'approve'))], second)).toEqual([{ code: 'ALREADY_RESOLVED', details: won }]);
    on.given(asked).when([first, second]).then([answered(answer('i1', 'approve'))]);
  });

  it('gives the same person saying the same again the stored result, at any time later', () => {
    const events = [...asked, answered(answer('i1', 'approve', { reason: 'fine' }))];
    expect(results(events, naming(answer('i1', 'approve', { reason: 'fine', seconds: 9_000 })))).toEqual([{ repeated: true }]);
    expect(results(events, naming(answer('i1', 'approve', { reason: 'other' })))).toMatchObject([{ code: 'ALREADY_RESOLVED' }]);
    expect(results(events, naming(answer('i1', 'reject', { reason: 'fine' })))).toMatchObject([{ code: 'ALREADY_RESOLVED' }]);
    expect(results(events, naming(answer('i1', 'approve', { reason: 'fine', principal: 'other' })))).toMatchObject([{ code: 'ALREADY_RESOLVED' }]);
    expect(results(events, naming(answer('i1', 'approve', { reason: 'fine' }), 'another'))).toMatchObject([{ code: 'ALREADY_RESOLVED' }]);
    on.given(events).when([naming(answer('i1', 'approve', { reason: 'fine' }))]).thenNothing();
  });

  it('refuses what does not wait for a person, with the verdict', () => {
    expect(results(asked, naming(answer('i3', 'reject')), naming(answer('i4', 'approve')), naming(answer('i9', 'approve')))).toEqual([
      { code: 'NOT_ASKED', details: { itemId: 'i3', verdict: { decision: 'allow', decidedBy: 'policy:default' } } },
      { code: 'NOT_ASKED', details: { itemId: 'i4', verdict: { decision: 'pending' } } },
      { code: 'NOT_FOUND', details: undefined },
    ]);
    expect(results([...asked, closed('cancelled')], naming(answer('i1', 'approve')))).toEqual([
      { code: 'ALREADY_RESOLVED', details: { itemId: 'i1', verdict: { decision: 'deny', decidedBy: 'cancelled' } } },
    ]);
  });

  it('refuses an answer to what has changed, naming what is shown now', () => {
    expect(results(asked, naming(answer('i1', 'approve'), 'another'))).toEqual([
      { code: 'ITEM_CHANGED', details: { itemId: 'i1', itemDigest: 'digest-of-i1' } },
    ]);
  });

  it('refuses a late answer by the time of the command, before the expiry is written and after', () => {
    expect(results(asked, naming(answer('i1', 'approve', { seconds: 1_799 })), naming(answer('i2', 'approve', { seconds: 1_800 })))).toMatchObject([
      { repeated: false }, { code: 'APPROVAL_EXPIRED' },
    ]);
    expect(results([...asked, itemsExpired(1_800, 'i1')], naming(answer('i1', 'approve', { seconds: 1 })))).toMatchObject([{ code: 'APPROVAL_EXPIRED' }]);
  });

  it('does not let one refused answer refuse the others', () => {
    on.given(asked).when([naming(answer('i9', 'approve')), naming(answer('i2', 'approve'))]).then([answered(answer('i2', 'approve'))]);
  });
});
