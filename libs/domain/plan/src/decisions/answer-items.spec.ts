import type { AskTerms, ItemAnswer, PlanEvent } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { planFacts, scenario } from '@countersign/testkit';
import { planFold } from '../state.js';
import { answerItems, checkAnswer, type AnswerOfItem, type AnswerResult } from './answer-items.js';

const { answer, answered, at, closed, corrected, correction, evaluated, itemsExpired, proposed, said, terms, verdict, vote, voted } = planFacts;
const on = scenario(planFold, answerItems);
const asked = [proposed(['write', 'write', 'read', 'write']), evaluated(verdict('i1', 'ask'), verdict('i2', 'ask'), verdict('i3', 'allow'))];
const naming = (one: ItemAnswer, itemDigest = `digest-of-${one.itemId}`): AnswerOfItem => said(one, { itemDigest });

/** Code and details of each refusal, or what the reply says. */
const results = (events: readonly PlanEvent[], ...answers: AnswerOfItem[]) => answerItems(foldOf(planFold, events), answers).reply.map(told);
function told(result: AnswerResult): object {
  if ('deferred' in result) return { deferred: true };
  if (!result.ok) return { code: result.error.code, details: result.error.details };
  const { ok: _ok, ...rest } = result;
  return rest;
}

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

/** An ask of i1 with these terms. */
const askedBy = (change: Partial<AskTerms>): PlanEvent[] => [proposed(['write']), evaluated(verdict('i1', 'ask', { terms: terms(change) }))];
const approves = (principal: string, change: Parameters<typeof answer>[2] = {}): AnswerOfItem => said(answer('i1', 'approve', { principal, ...change }));
const rejects = (principal: string, change: Parameters<typeof answer>[2] = {}): AnswerOfItem => said(answer('i1', 'reject', { principal, ...change }));

describe('the time of an answer', () => {
  const late = (saidAt: number, decidedAt: number) => results(asked, { ...said(answer('i1', 'approve', { seconds: saidAt })), decidedAt: at(decidedAt) });

  it('is over by either clock', () => {
    expect(late(1_799, 1_799)).toEqual([{ repeated: false }]);
    expect(late(1, 1_800)).toMatchObject([{ code: 'APPROVAL_EXPIRED' }]);
    expect(late(1_800, 1)).toMatchObject([{ code: 'APPROVAL_EXPIRED' }]);
  });

  it('is not over where the rule keeps waiting', () => {
    const waiting = [proposed(['write']), evaluated(verdict('i1', 'ask', { expiresAt: undefined, terms: terms({ onTimeout: 'wait' }) }))];
    expect(results(waiting, approves('ops', { seconds: 9_000_000 }))).toEqual([{ repeated: false }]);
  });

  it('does not come back when a clock jumps back', () => {
    expect(results([...asked, itemsExpired(1_800, 'i1')], said(answer('i1', 'approve', { seconds: 1 })))).toMatchObject([{ code: 'APPROVAL_EXPIRED' }]);
  });

  it('is kept as the earlier of the two clocks says, so that one that is ahead makes nothing last longer', () => {
    on.given(asked).when([{ ...said(answer('i1', 'approve', { seconds: 900 })), decidedAt: at(10) }])
      .then([answered({ ...answer('i1', 'approve', { seconds: 900 }), answeredAt: at(10) })]);
  });
});

describe('a quorum', () => {
  const two = askedBy({ quorum: 2 });

  it('is complete with the last approval, and what comes before is a vote', () => {
    on.given(two).when([approves('ann')]).then([voted(vote('i1', 'ann'))])
      .thenReply([{ ok: true, repeated: false, pending: { approvals: 1, quorum: 2 } }]);
    on.given([...two, voted(vote('i1', 'ann'))]).when([approves('ben')]).then([answered(answer('i1', 'approve', { principal: 'ben' }))])
      .thenReply([{ ok: true, repeated: false }]);
  });

  it('counts no person twice, whatever they add', () => {
    const once = [...two, voted(vote('i1', 'ann'))];
    on.given(once).when([approves('ann', { reason: 'again' })]).thenNothing().thenReply([{ ok: true, repeated: true, pending: { approvals: 1, quorum: 2 } }]);
    expect(results(two, approves('ann'), approves('ann'))).toEqual([
      { repeated: false, pending: { approvals: 1, quorum: 2 } }, { repeated: true, pending: { approvals: 1, quorum: 2 } },
    ]);
    const done = [...once, answered(answer('i1', 'approve', { principal: 'ben' }))];
    expect(results(done, approves('ann'), approves('ben'), approves('cyd'))).toMatchObject([{ repeated: true }, { repeated: true }, { code: 'ALREADY_RESOLVED' }]);
  });

  it('is vetoed by one rejection, also by somebody who approved before', () => {
    const once = [...two, voted(vote('i1', 'ann'))];
    on.given(once).when([rejects('ben')]).then([answered(answer('i1', 'reject', { principal: 'ben' }))]);
    on.given(once).when([rejects('ann')]).then([answered(answer('i1', 'reject', { principal: 'ann' }))]);
    expect(results([...once, answered(answer('i1', 'reject', { principal: 'ben' }))], approves('ann'))).toEqual([
      { code: 'ALREADY_RESOLVED', details: { itemId: 'i1', verdict: { decision: 'deny', decidedBy: 'person:ben' } } },
    ]);
  });

  it('is not complete by votes for what was shown before', () => {
    const again = [...two, voted(vote('i1', 'ann')), corrected(correction('i1', { n: 9 })), evaluated(verdict('i1', 'ask', { itemDigest: 'new', terms: terms({ quorum: 2 }) }))];
    expect(results(again, said(answer('i1', 'approve', { principal: 'ben' }), { itemDigest: 'new' }))).toEqual([{ repeated: false, pending: { approvals: 1, quorum: 2 } }]);
    expect(results(again, approves('ben'))).toEqual([{ code: 'ITEM_CHANGED', details: { itemId: 'i1', itemDigest: 'new' } }]);
  });

  it('gives nothing beyond the item: that would be the word of the last one alone', () => {
    expect(results(two, approves('ann', { scope: 'session', grant: { grantId: 'g1' } }))).toEqual([{ code: 'SCOPE_NOT_OFFERED', details: { itemId: 'i1', scopes: ['once'] } }]);
    expect(results(two, rejects('ann', { scope: 'session', grant: { grantId: 'g1' } }))).toEqual([{ repeated: false, grantId: 'g1' }]);
  });

  it('decides votes and answers of one batch one after the other, in their order', () => {
    const both = [proposed(['write', 'write']), evaluated(verdict('i1', 'ask', { terms: terms({ quorum: 2 }) }), verdict('i2', 'ask'))];
    const batch = [approves('ann'), approves('ben'), said(answer('i2', 'approve')), approves('cyd'), rejects('dee')];
    expect(results(both, ...batch)).toEqual([{ repeated: false, pending: { approvals: 1, quorum: 2 } }, { deferred: true }, { deferred: true }, { deferred: true }, { deferred: true }]);
    on.given(both).when(batch).then([voted(vote('i1', 'ann'))]);
    on.given([...both, voted(vote('i1', 'ann'))]).when(batch.slice(1)).then([answered(answer('i1', 'approve', { principal: 'ben' }), answer('i2', 'approve'))]);
  });
});

describe('the terms of an ask', () => {
  it('name the roles and groups that may answer, either way', () => {
    const security = askedBy({ roles: ['security', 'admin'] });
    expect(results(security, approves('ann', { roles: ['approver'] }))).toEqual([{ code: 'FORBIDDEN', details: { itemId: 'i1', roles: ['security', 'admin'] } }]);
    expect(results(security, rejects('ann', { roles: ['approver'] }))).toMatchObject([{ code: 'FORBIDDEN' }]);
    expect(results(security, approves('ann'))).toMatchObject([{ code: 'FORBIDDEN' }]);
    on.given(security).when([approves('ann', { roles: ['approver', 'security'] })])
      .then([answered(answer('i1', 'approve', { principal: 'ann', roles: ['approver', 'security'] }))]);
  });

  it('keep the requester and the corrector from approving, not from rejecting', () => {
    const apart = askedBy({ notRequester: true });
    expect(results(apart, approves('agent'))).toMatchObject([{ code: 'SECOND_PERSON_REQUIRED' }]);
    expect(results(apart, rejects('agent'))).toEqual([{ repeated: false }]);
    const again = [...apart, corrected(correction('i1', { n: 9 }, { principal: 'ann' })), evaluated(verdict('i1', 'ask', { terms: terms({ notRequester: true }) }))];
    expect(results(again, approves('ann'))).toMatchObject([{ code: 'SECOND_PERSON_REQUIRED' }]);
    expect(results(again, approves('ben'))).toEqual([{ repeated: false }]);
    expect(results(askedBy({}), approves('agent'))).toEqual([{ repeated: false }]);
  });

  it('want a reason', () => {
    const why = askedBy({ requireReason: true });
    for (const without of [approves('ann'), rejects('ann'), approves('ann', { reason: '  ' })]) expect(results(why, without)).toMatchObject([{ code: 'REASON_REQUIRED' }]);
    expect(results(why, approves('ann', { reason: 'on call' }))).toEqual([{ repeated: false }]);
  });

  it('offer scopes, and may want them narrowed', () => {
    const grant = { grantId: 'g1' };
    expect(results(askedBy({ scopes: ['once', 'session'] }), approves('ann', { scope: 'always', grant }))).toEqual([
      { code: 'SCOPE_NOT_OFFERED', details: { itemId: 'i1', scopes: ['once', 'session'] } },
    ]);
    expect(results(asked, approves('ann', { scope: 'session', grant }))).toMatchObject([{ code: 'SCOPE_NOT_OFFERED' }]);
    const narrow = { kind: 'host', field: '/url', host: 'example.org' } as const;
    expect(results(askedBy({ narrowOnly: true }), approves('ann', { scope: 'session', grant }))).toMatchObject([{ code: 'NARROW_REQUIRED' }]);
    expect(results(askedBy({ narrowOnly: true }), approves('ann', { scope: 'session', grant: { ...grant, narrow } }))).toEqual([{ repeated: false, grantId: 'g1' }]);
    expect(results(askedBy({ narrowOnly: true }), approves('ann'))).toEqual([{ repeated: false }]);
  });
});

describe('an answer that reaches beyond its item', () => {
  const narrow = { kind: 'path_prefix', field: '/path', prefix: '/tmp' } as const;
  const always = { scope: 'always', grant: { grantId: 'g1', reservation: 'r1', narrow, expiresAt: at(90_000) } } as const;

  it('keeps the grant', () => {
    on.given(askedBy({})).when([approves('ann', always)]).then([answered(answer('i1', 'approve', { principal: 'ann', ...always }))])
      .thenReply([{ ok: true, repeated: false, grantId: 'g1' }]);
  });

  it('is never accepted without what was reserved for it, but looked at', () => {
    const { reserved: _reserved, ...bare } = approves('ann', always);
    expect(results(askedBy({}), bare)).toMatchObject([{ code: 'INTERNAL' }]);
    expect(checkAnswer(foldOf(planFold, askedBy({})), bare)).toMatchObject({ ok: true, repeated: false });
    expect(checkAnswer(foldOf(planFold, askedBy({ scopes: ['once'] })), bare)).toMatchObject({ ok: false, error: { code: 'SCOPE_NOT_OFFERED' } });
  });

  it('is the same again only with the same reach', () => {
    const events = [...askedBy({}), answered(answer('i1', 'approve', { principal: 'ann', ...always }))];
    const { reserved: _reserved, ...again } = approves('ann', always);
    expect(results(events, again)).toEqual([{ repeated: true, grantId: 'g1' }]);
    expect(results(events, { ...again, narrow: { prefix: '/tmp', field: '/path', kind: 'path_prefix' } })).toEqual([{ repeated: true, grantId: 'g1' }]);
    for (const other of [{ scope: 'session' as const }, { narrow: undefined }, { grantExpiresAt: at(1) }, { narrow: { ...narrow, prefix: '/' } }]) {
      expect(results(events, { ...again, ...other })).toMatchObject([{ code: 'ALREADY_RESOLVED' }]);
    }
  });
});

describe('an answer to a corrected item', () => {
  const changed = [...askedBy({}), corrected(correction('i1', { n: 9 }))];

  it('is told that the item has changed, also before the new verdict', () => {
    expect(results(changed, approves('ann'))).toEqual([{ code: 'ITEM_CHANGED', details: { itemId: 'i1' } }]);
    expect(results([...changed, evaluated(verdict('i1', 'ask', { itemDigest: 'new' }))], approves('ann'))).toEqual([{ code: 'ITEM_CHANGED', details: { itemId: 'i1', itemDigest: 'new' } }]);
  });

  it('is told the denial that a correction led to', () => {
    expect(results([...changed, evaluated(verdict('i1', 'deny', { decidedBy: 'policy:no' }))], approves('ann'))).toEqual([
      { code: 'ALREADY_RESOLVED', details: { itemId: 'i1', verdict: { decision: 'deny', decidedBy: 'policy:no' } } },
    ]);
  });

  it('is late by the expiry of the first ask, also before the new verdict', () => {
    expect(results(changed, approves('ann', { seconds: 1_800 }))).toMatchObject([{ code: 'APPROVAL_EXPIRED' }]);
  });
});
