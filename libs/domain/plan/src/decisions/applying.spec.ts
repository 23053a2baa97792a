import { foldOf } from '@countersign/kernel';
import { planFacts, scenario } from '@countersign/testkit';
import { afterReconcile, isOutdated, itemsToApply, itemsToSkip, recoverAttempts } from '../reactions.js';
import { planFold } from '../state.js';
import { recordOutcomes } from './record-outcomes.js';
import { applyKeyOf, startApply, type StartApply } from './start-apply.js';

const { LEASE, PLAN_ID, answer, answered, applyStarted, at, attemptAt, closed, evaluated, itemOutcome, outcomes, previewTree, previewed, proposed, verdict } = planFacts;
const allowed = [
  proposed(['write', 'edit', 'put', 'read', 'write']), previewed(previewTree('i2')),
  evaluated(verdict('i1', 'allow'), verdict('i2', 'allow'), verdict('i3', 'allow'), verdict('i4', 'allow'), verdict('i5', 'ask')),
];
const key = (itemId: string): string => applyKeyOf('acme', PLAN_ID, itemId);
const attempt = (itemId: string, number: number, fence: number) => ({ itemId, attempt: number, fence, idempotencyKey: key(itemId) });
const others = { ...LEASE, sequence: 99 };

describe('startApply', () => {
  const on = scenario(planFold, startApply);
  const command = (items: string[], change: Partial<StartApply> = {}): StartApply =>
    ({ tenant: 'acme', planId: PLAN_ID, items, lease: LEASE, startedAt: at(2), ...change });

  it('starts resources with rising fences, their own keys and the fingerprint that was shown; reads need no start', () => {
    on.given(allowed).when(command(['i1', 'i2', 'i4'])).then([applyStarted([attempt('i1', 1, 1), { ...attempt('i2', 1, 2), expectedFingerprint: 'print' }])]);
    on.given(allowed).when(command(['i4'])).thenNothing().thenReply({ attempts: [] });
  });

  it('refuses what is not allowed or not there', () => {
    on.given(allowed).when(command(['i1', 'i5'])).thenRefused('FORBIDDEN', { itemId: 'i5' });
    on.given([proposed(['write'])]).when(command(['i1'])).thenRefused('FORBIDDEN');
    on.given(allowed).when(command(['i9'])).thenRefused('NOT_FOUND');
  });

  it('leaves out what another has started or ended, and names an item once', () => {
    on.given([...allowed, applyStarted([attemptAt('i1')])]).when(command(['i1', 'i3', 'i3'])).then([applyStarted([attempt('i3', 1, 2)])]);
    on.given([...allowed, applyStarted([attemptAt('i1')]), outcomes(itemOutcome('i1', 'failed'))]).when(command(['i1'])).thenNothing();
  });

  it.each(['cancelled', 'session_ended'] as const)('starts nothing of a plan that was closed, not even while recovering: %s', (reason) => {
    const events = [...allowed, applyStarted([attempt('i3', 1, 1)]), closed(reason)];
    on.given(events).when(command(['i1', 'i2'])).thenNothing().thenReply({ attempts: [], stopped: true });
    on.given(events).when(command(['i3'], { recovering: true })).thenNothing().thenReply({ attempts: [], stopped: true });
    on.given([...allowed, closed('policy_unavailable')]).when(command(['i1'])).then([applyStarted([attempt('i1', 1, 1)])]);
  });

  it('starts again only while recovering, under the same message, with the same key and a higher fence', () => {
    const events = [...allowed, applyStarted([attempt('i3', 1, 1)])];
    on.given(events).when(command(['i3'], { recovering: true })).then([applyStarted([attempt('i3', 2, 2)])]);
    on.given(events).when(command(['i3'], { recovering: true, lease: others })).thenNothing();
  });
});

describe('isOutdated', () => {
  const plan = foldOf(planFold, [proposed(['write', 'write', 'write']), evaluated(verdict('i1', 'allow'), verdict('i2', 'ask')), answered(answer('i2', 'approve', { seconds: 600 }))]);
  const outdatedAfter = (seconds: number): string[] => [...plan.items.values()].filter((item) => isOutdated(item, new Date(at(seconds)))).map(({ itemId }) => itemId);

  it('counts an hour from the verdict, or from the answer of a person', () => {
    expect(outdatedAfter(3_601)).toEqual(['i3']);
    expect(outdatedAfter(3_602)).toEqual(['i1', 'i3']);
    expect(outdatedAfter(4_200)).toEqual(['i1', 'i3']);
    expect(outdatedAfter(4_201)).toEqual(['i1', 'i2', 'i3']);
  });
});

describe('itemsToApply and recoverAttempts', () => {
  const ready = (events: typeof allowed): string[] => itemsToApply(foldOf(planFold, events)).map((item) => item.itemId);

  it('names what is allowed, has not ended and is not under way', () => {
    expect(ready(allowed)).toEqual(['i1', 'i2', 'i3', 'i4']);
    expect(ready([...allowed, applyStarted([attemptAt('i1'), attemptAt('i2')]), outcomes(itemOutcome('i1', 'applied'), itemOutcome('i4', 'applied'))])).toEqual(['i3']);
    expect(ready([...allowed, applyStarted([attemptAt('i1')]), outcomes(itemOutcome('i1', 'indeterminate'))])).not.toContain('i1');
  });

  it('names what is to be skipped once the plan was cancelled, and then nothing to apply', () => {
    const skipped = (events: typeof allowed): string[] => itemsToSkip(foldOf(planFold, events)).map((item) => item.itemId);
    const cancelled = [...allowed, applyStarted([attemptAt('i1')]), closed('cancelled')];
    expect([ready(cancelled), skipped(cancelled)]).toEqual([[], ['i2', 'i3', 'i4']]);
    const away = [...allowed, closed('policy_unavailable')];
    expect([ready(away), skipped(away)]).toEqual([['i1', 'i2', 'i3', 'i4'], []]);
  });

  it('reconciles what can be, retries under an enforced key, and gives up the rest to a person', () => {
    const events = [...allowed, applyStarted([attemptAt('i1'), attemptAt('i2'), attemptAt('i3')])];
    expect(recoverAttempts(foldOf(planFold, events), LEASE)).toEqual([
      { itemId: 'i1', attempt: 1, action: 'indeterminate' },
      { itemId: 'i2', attempt: 1, action: 'reconcile' },
      { itemId: 'i3', attempt: 1, action: 'retry' },
    ]);
    expect(recoverAttempts(foldOf(planFold, events), others)).toEqual([]);
    expect(recoverAttempts(foldOf(planFold, [...events, outcomes(itemOutcome('i1', 'applied'))]), LEASE).map(({ itemId }) => itemId)).toEqual(['i2', 'i3']);
  });

  it('runs again after a reconcile only where the key is enforced, or where the effect did not show and may be made twice', () => {
    const items = foldOf(planFold, allowed).items;
    const after = (itemId: string, change: object = {}) => (['applied', 'not_applied', 'unknown'] as const).map((found) => {
      const item = items.get(itemId)!;
      return afterReconcile({ ...item, operation: { ...item.operation, ...change } }, found);
    });
    expect(after('i2')).toEqual(['settle', 'indeterminate', 'indeterminate']);
    expect(after('i2', { idempotent: true })).toEqual(['settle', 'retry', 'indeterminate']);
    expect(after('i3')).toEqual(['settle', 'retry', 'retry']);
  });
});

describe('recordOutcomes', () => {
  const on = scenario(planFold, recordOutcomes);
  const running = [...allowed, applyStarted([attemptAt('i1'), attemptAt('i3', 1, 2)])];
  const none = { recorded: [], settledBefore: [], duplicateEffectPossible: [] };

  it('keeps outcomes of started resources and of reads', () => {
    const facts = [itemOutcome('i1', 'applied'), itemOutcome('i4', 'failed')];
    on.given(running).when({ outcomes: facts }).then([outcomes(...facts)]).thenReply({ ...none, recorded: ['i1', 'i4'] });
  });

  it('says nothing twice, and never settles a settled item anew', () => {
    const events = [...running, outcomes(itemOutcome('i1', 'applied'))];
    on.given(events).when({ outcomes: [itemOutcome('i1', 'applied')] }).thenNothing().thenReply({ ...none, settledBefore: ['i1'] });
    on.given(events).when({ outcomes: [itemOutcome('i1', 'failed'), itemOutcome('i3', 'applied')] }).then([outcomes(itemOutcome('i3', 'applied'))]);
  });

  it('lets a late answer settle what was indeterminate', () => {
    const events = [...running, outcomes(itemOutcome('i1', 'indeterminate'))];
    on.given(events).when({ outcomes: [itemOutcome('i1', 'indeterminate')] }).thenNothing();
    on.given(events).when({ outcomes: [itemOutcome('i1', 'applied')] }).then([outcomes(itemOutcome('i1', 'applied'))]);
  });

  it('warns of a second effect when a late answer meets a later attempt without an enforced key', () => {
    const twice = [...running, applyStarted([attemptAt('i1', 2, 3), attemptAt('i3', 2, 4)])];
    on.given(twice).when({ outcomes: [itemOutcome('i1', 'applied'), itemOutcome('i3', 'applied')] }).thenNothing()
      .thenReply({ ...none, duplicateEffectPossible: ['i1'] });
    on.given(twice).when({ outcomes: [itemOutcome('i1', 'applied', { attempt: 2 })] }).then([outcomes(itemOutcome('i1', 'applied', { attempt: 2 }))]);
  });

  it('refuses what was not allowed, not started, not there, or named twice', () => {
    const mismatch = (itemId: string, why: string) => ({ mismatches: [{ itemId, why }] });
    on.given(running).when({ outcomes: [itemOutcome('i5', 'applied')] }).thenRefused('INTERNAL', mismatch('i5', 'not_allowed'));
    on.given(running).when({ outcomes: [itemOutcome('i2', 'applied')] }).thenRefused('INTERNAL', mismatch('i2', 'not_started'));
    on.given(running).when({ outcomes: [itemOutcome('i1', 'applied', { attempt: 2 })] }).thenRefused('INTERNAL', mismatch('i1', 'not_started'));
    on.given(running).when({ outcomes: [itemOutcome('i9', 'applied')] }).thenRefused('INTERNAL', mismatch('i9', 'no_such_item'));
    on.given(running).when({ outcomes: [itemOutcome('i4', 'applied'), itemOutcome('i4', 'failed')] }).thenRefused('INTERNAL', mismatch('i4', 'named_twice'));
  });
});
