import type { PlanEvent } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { planFacts } from '@countersign/testkit';
import { nextStep } from './next-step.js';
import { itemsToJudge, itemsToPreview, previewsDueAt } from './reactions.js';
import { planFold } from './state.js';

const { answer, answered, at, closed, corrected, correction, evaluated, evaluatedIn, itemsExpired, previewTree, previewed, proposed, verdict } = planFacts;
const stepAt = (seconds: number, ...events: PlanEvent[]) => nextStep(foldOf(planFold, events), new Date(at(seconds)));
const plan = proposed(['write', 'write']);
const asked = evaluated(verdict('i1', 'ask'), verdict('i2', 'ask', { expiresAt: at(100) }));

describe('nextStep', () => {
  it('waits for the verdict, and closes when it does not come', () => {
    expect(stepAt(59, plan)).toEqual({ kind: 'wait', until: new Date(at(60)) });
    expect(stepAt(60, plan)).toEqual({ kind: 'close' });
    expect(stepAt(60, plan, closed('policy_unavailable'))).toEqual({ kind: 'nothing' });
  });

  it('waits for the nearest expiry, and expires what is due before anything else', () => {
    expect(stepAt(60, plan, asked)).toEqual({ kind: 'wait', until: new Date(at(100)) });
    expect(stepAt(100, plan, asked)).toEqual({ kind: 'expire', items: ['i2'] });
    expect(stepAt(101, plan, asked, itemsExpired(100, 'i2'))).toEqual({ kind: 'wait', until: new Date(at(1_800)) });
    expect(stepAt(200, plan, evaluated(verdict('i1', 'ask', { expiresAt: at(100) })))).toEqual({ kind: 'expire', items: ['i1'] });
  });

  it('does nothing for a plan that is decided, not there, or asks without an end', () => {
    expect(stepAt(9_999)).toEqual({ kind: 'nothing' });
    expect(stepAt(9_999, plan, evaluated(verdict('i1', 'allow'), verdict('i2', 'deny')))).toEqual({ kind: 'nothing' });
    expect(stepAt(9_999, proposed(['write']), evaluated(verdict('i1', 'ask')), answered(answer('i1', 'approve')))).toEqual({ kind: 'nothing' });
    expect(stepAt(9_999, proposed(['write']), evaluated(verdict('i1', 'ask', { expiresAt: undefined })))).toEqual({ kind: 'nothing' });
  });
});

describe('nextStep of a corrected item', () => {
  const one = [proposed(['write']), evaluated(verdict('i1', 'ask', { expiresAt: at(100) })), corrected(correction('i1', { n: 9 }))];

  it('waits for its own verdict, and closes when that does not come', () => {
    expect(stepAt(70, ...one)).toEqual({ kind: 'wait', until: new Date(at(80)) });
    expect(stepAt(80, ...one)).toEqual({ kind: 'close' });
  });

  it('expires by the first ask while it waits for a verdict, and after it', () => {
    const late = [...one.slice(0, 2), corrected(correction('i1', { n: 9 }, { verdictDueAt: at(120) }))];
    expect(stepAt(99, ...late)).toEqual({ kind: 'wait', until: new Date(at(100)) });
    expect(stepAt(100, ...late)).toEqual({ kind: 'expire', items: ['i1'] });
    expect(stepAt(130, ...late, itemsExpired(100, 'i1'))).toEqual({ kind: 'nothing' });
    expect(stepAt(100, ...late, evaluatedIn(2, verdict('i1', 'ask', { expiresAt: at(100) })))).toEqual({ kind: 'expire', items: ['i1'] });
  });

  it('waits for nothing but its verdict where the rule keeps waiting', () => {
    const endless = [proposed(['write']), evaluated(verdict('i1', 'ask', { expiresAt: undefined })), corrected(correction('i1', { n: 9 }))];
    expect(stepAt(70, ...endless)).toEqual({ kind: 'wait', until: new Date(at(80)) });
  });
});

describe('previews and judging', () => {
  const mixed = proposed(['edit', 'read', 'write']);
  const toJudge = (seconds: number, ...events: PlanEvent[]) => itemsToJudge(foldOf(planFold, events), new Date(at(seconds))).map((item) => item.itemId);

  it('previews only what is previewable and pending', () => {
    expect(itemsToPreview(foldOf(planFold, [mixed])).map((item) => item.itemId)).toEqual(['i1']);
    expect(itemsToPreview(foldOf(planFold, [mixed, previewed(previewTree('i1'))]))).toEqual([]);
    expect(itemsToPreview(foldOf(planFold, [mixed, evaluated(verdict('i1', 'deny'))]))).toEqual([]);
  });

  it('judges at once what needs no preview, and the rest when it has come or is overdue', () => {
    expect(toJudge(1, mixed)).toEqual(['i2', 'i3']);
    expect(toJudge(1, mixed, previewed({ itemId: 'i1', absent: 'failed', tookMs: 1 }))).toEqual(['i1', 'i2', 'i3']);
    expect(toJudge(6, mixed)).toEqual(['i1', 'i2', 'i3']);
    expect(toJudge(6, mixed, evaluated(verdict('i1', 'deny'), verdict('i2', 'allow')))).toEqual(['i3']);
    expect(previewsDueAt(foldOf(planFold, [mixed]))).toEqual(new Date(at(6)));
    expect(previewsDueAt(foldOf(planFold, [plan]))).toBeUndefined();
  });
});
