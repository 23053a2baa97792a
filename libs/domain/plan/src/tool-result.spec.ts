import type { PlanEvent } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { planFacts } from '@countersign/testkit';
import { planFold } from './state.js';
import { toolResultOf } from './tool-result.js';

const { answer, answered, applyStarted, attemptAt, closed, evaluated, itemOutcome, itemsExpired, outcomes, proposed, sealedInline, verdict } = planFacts;
const resultOf = (...events: PlanEvent[]) => toolResultOf(foldOf(planFold, [proposed(['write']), ...events]).items.get('i1')!);
const ask = evaluated(verdict('i1', 'ask'));
const started = applyStarted([attemptAt('i1')]);

describe('toolResultOf', () => {
  it('is not there before the item has come to its end', () => {
    expect([resultOf(), resultOf(ask), resultOf(ask, answered(answer('i1', 'approve'))), resultOf(evaluated(verdict('i1', 'allow')), started)])
      .toEqual([undefined, undefined, undefined, undefined]);
  });

  it('tells a denial in one neutral sentence, with whose words they are', () => {
    const denied = (decidedBy: string, text: string) =>
      ({ callId: 'c1', isError: true, text, error: { category: 'permission_denied', retryable: false }, decidedBy });
    expect(resultOf(ask, answered(answer('i1', 'reject', { reason: 'not on a Friday' }))))
      .toEqual(denied('person:ops', 'write of files was denied by person:ops and did not run: “not on a Friday”'));
    expect(resultOf(evaluated(verdict('i1', 'deny', { decidedBy: 'policy:no-writes', message: 'read only' }))))
      .toEqual(denied('policy:no-writes', 'write of files was denied by policy:no-writes and did not run: “read only”'));
    expect(resultOf(ask, itemsExpired(9, 'i1'))).toEqual(denied('expired', 'write of files was denied by expired and did not run'));
    expect(resultOf(closed('policy_unavailable'))).toEqual(denied('policy:unavailable', 'write of files was denied by policy:unavailable and did not run'));
  });

  it('tells a downgraded ask from a plain denial', () => {
    const downgraded = resultOf(evaluated(verdict('i1', 'deny', { decidedBy: 'policy:ask-reads', downgraded: true })));
    expect(downgraded?.text).toBe('write of files was denied by policy:ask-reads (it would need a person, whom calls of this kind cannot ask) and did not run');
  });

  it('gives the result of what was applied', () => {
    const result = sealedInline('done');
    expect(resultOf(evaluated(verdict('i1', 'allow')), started, outcomes(itemOutcome('i1', 'applied', { result }))))
      .toEqual({ callId: 'c1', isError: false, result, decidedBy: 'policy:default' });
  });

  it('says "approved" only where a person approved', () => {
    const failed = outcomes(itemOutcome('i1', 'failed', { error: { category: 'timeout', message: 'no answer in 60 s', retryable: true } }));
    const byPolicy = resultOf(evaluated(verdict('i1', 'allow')), started, failed);
    const byPerson = resultOf(ask, answered(answer('i1', 'approve')), started, failed);
    expect(byPolicy).toEqual({
      callId: 'c1', isError: true, text: 'write of files failed (timeout): no answer in 60 s', error: { category: 'timeout', retryable: true }, decidedBy: 'policy:default',
    });
    expect(byPerson?.text).toBe('write of files, approved by person:ops, failed (timeout): no answer in 60 s');
  });

  it('says why an item was skipped', () => {
    const skipped = itemOutcome('i1', 'skipped', { error: { category: 'cancelled', message: 'the session ended', retryable: true } });
    expect(resultOf(evaluated(verdict('i1', 'allow')), outcomes(skipped))).toEqual({
      callId: 'c1', isError: true, text: 'write of files was skipped and did not run (the session ended)', error: { category: 'cancelled', retryable: false }, decidedBy: 'policy:default',
    });
  });

  it('says of an indeterminate item that nobody knows', () => {
    expect(resultOf(evaluated(verdict('i1', 'allow')), started, outcomes(itemOutcome('i1', 'indeterminate')))).toMatchObject({
      isError: true, error: { category: 'unknown', retryable: false }, text: expect.stringContaining('not known whether it took effect'),
    });
  });
});
