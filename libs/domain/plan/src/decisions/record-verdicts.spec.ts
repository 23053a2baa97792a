import { foldOf } from '@countersign/kernel';
import type { ItemVerdict, PlanEvent } from '@countersign/contracts';
import { planFacts, scenario } from '@countersign/testkit';
import { itemDigestOf, type ShownVerdict } from '../item-digest.js';
import { planFold } from '../state.js';
import { recordVerdicts, type JudgedItem, type RecordVerdicts } from './record-verdicts.js';

const { PLAN_ID, answer, answered, at, closed, corrected, correction, evaluated, evaluatedIn, previewTree, previewed, proposed, sealedInline, terms, verdict } = planFacts;
const on = scenario(planFold, recordVerdicts);
const facts = { bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: at(1), engine: 'core-1' };
const command = (...verdicts: readonly JudgedItem[]): RecordVerdicts => ({ planId: PLAN_ID, verdicts, ...facts });
const judged = (itemId: string, decision: 'allow' | 'ask' | 'deny', change: Partial<JudgedItem> = {}): JudgedItem => ({ itemId, decision, decidedBy: 'policy:default', ...change });
const digest = (events: readonly PlanEvent[], itemId: string, shown: Partial<ShownVerdict> = {}): string =>
  itemDigestOf(PLAN_ID, foldOf(planFold, events).items.get(itemId)!, { decision: 'ask', decidedBy: 'policy:default', ...shown });
/** The verdict that is recorded on the only item of such a plan. */
const recorded = (events: readonly PlanEvent[], ...said: readonly JudgedItem[]): Partial<ItemVerdict> | undefined => {
  const { event } = recordVerdicts(foldOf(planFold, events), command(...said));
  return event?.type === 'plan.Evaluated' ? event.data.items[0] : undefined;
};

describe('recordVerdicts', () => {
  const plan = proposed(['read', 'write', 'edit']);

  it('adds the digest, and the terms of an ask', () => {
    on.given([plan]).when(command(judged('i1', 'allow'), judged('i2', 'ask'))).then([evaluated(
      verdict('i1', 'allow', { itemDigest: digest([plan], 'i1', { decision: 'allow' }) }),
      verdict('i2', 'ask', { expiresAt: at(1_801), itemDigest: digest([plan], 'i2', { expiresAt: at(1_801) }) }),
    )]).thenReply({ judged: ['i1', 'i2'] });
  });

  it('leaves out what has a verdict, is closed, unknown or named twice', () => {
    on.given([plan, evaluated(verdict('i1', 'allow'))]).when(command(judged('i1', 'deny'), judged('i9', 'deny'))).thenNothing().thenReply({ judged: [] });
    on.given([plan, evaluated(verdict('i2', 'ask'))]).when(command(judged('i2', 'allow'))).thenNothing();
    on.given([plan, evaluated(verdict('i2', 'ask')), answered(answer('i2', 'reject'))]).when(command(judged('i2', 'allow'))).thenNothing();
    on.given([plan, closed('policy_unavailable')]).when(command(judged('i1', 'allow'))).thenNothing();
    on.given([plan]).when(command(judged('i1', 'allow'), judged('i1', 'deny'))).thenReply({ judged: ['i1'] });
    on.given([]).when(command(judged('i1', 'allow'))).thenNothing();
  });

  it('refuses to ask about a read or an interactive item', () => {
    on.given([plan]).when(command(judged('i1', 'ask'))).thenRefused('INTERNAL');
    on.given([proposed(['question'])]).when(command(judged('i1', 'ask'))).thenRefused('INTERNAL');
  });
});

describe('the expiry of an ask', () => {
  const plan = proposed(['write']);
  const first = [plan, evaluated(verdict('i1', 'ask', { expiresAt: at(100) })), corrected(correction('i1', { n: 9 }))];
  const wait = terms({ onTimeout: 'wait' });
  const endless = [plan, evaluated(verdict('i1', 'ask', { expiresAt: undefined, terms: wait })), corrected(correction('i1', { n: 9 }))];

  it('is half an hour after the evaluation, or what the rule says, or never', () => {
    expect(recorded([plan], judged('i1', 'ask'))?.expiresAt).toBe(at(1_801));
    expect(recorded([plan], judged('i1', 'ask', { expiresInMs: 90_000, terms: terms() }))?.expiresAt).toBe(at(91));
    expect(recorded([plan], judged('i1', 'ask', { expiresInMs: 90_000, terms: wait }))).toEqual(
      { ...judged('i1', 'ask', { terms: wait }), itemDigest: digest([plan], 'i1', { terms: wait }) });
    expect(recorded([plan], judged('i1', 'ask', { expiresInMs: 90_000 }))).not.toHaveProperty('expiresInMs');
  });

  it('runs on through a correction, whatever the new terms say', () => {
    expect(recorded(first, judged('i1', 'ask', { expiresInMs: 9_000_000 }))?.expiresAt).toBe(at(100));
    expect(recorded(first, judged('i1', 'ask', { terms: wait }))).toMatchObject({ expiresAt: at(100), terms: { onTimeout: 'deny' } });
    expect(recorded(first, judged('i1', 'allow'))?.expiresAt).toBe(at(100));
    const second = [...first, evaluatedIn(2, verdict('i1', 'ask', { expiresAt: at(100) })), corrected(correction('i1', { n: 10 }, { correction: 2 }))];
    expect(recorded(second, judged('i1', 'ask'))?.expiresAt).toBe(at(100));
  });

  it('is there as soon as no rule says to wait', () => {
    expect(recorded(endless, judged('i1', 'ask', { terms: wait }))?.expiresAt).toBeUndefined();
    expect(recorded(endless, judged('i1', 'ask', { terms: terms() }))?.expiresAt).toBe(at(1_801));
  });
});

describe('a corrected item', () => {
  const again = [proposed(['write']), evaluated(verdict('i1', 'ask')), corrected(correction('i1', { n: 9 }))];
  const layers = [{ layer: 'policy', says: 'allow', by: 'policy:ok' }] as const;

  it('is asked about once more where policy would allow it now, and keeps what policy said', () => {
    const confirmation = { quorum: 1, onTimeout: 'deny', scopes: ['once'], confirmation: true };
    expect(recorded(again, judged('i1', 'allow', { decidedBy: 'policy:ok', layers }))).toMatchObject({ decision: 'ask', decidedBy: 'policy:ok', layers, terms: confirmation, expiresAt: at(1_800) });
  });

  it('is denied for good where policy denies it, and asked where it asks', () => {
    expect(recorded(again, judged('i1', 'deny'))).toMatchObject({ decision: 'deny' });
    expect(recorded(again, judged('i1', 'ask', { terms: terms({ quorum: 2 }) }))).toMatchObject({ decision: 'ask', terms: { quorum: 2 } });
  });

  it('is judged in a round of its own', () => {
    const { event } = recordVerdicts(foldOf(planFold, again), command(judged('i1', 'ask')));
    expect(event?.data).toMatchObject({ round: 2 });
  });
});

describe('itemDigestOf', () => {
  const plan = proposed(['edit', 'edit']);
  const seen = [previewed(previewTree('i1'))];
  const change = (input: number, edit: Partial<Parameters<typeof correction>[2]> = {}): PlanEvent[] =>
    [plan, evaluated(verdict('i1', 'ask')), corrected(correction('i1', { n: input }, edit))];

  it('changes with the item, its input, its preview, the reason of its absence and the terms, and with nothing else', () => {
    const shown: Partial<ShownVerdict>[] = [
      {}, { expiresAt: at(60) }, { decidedBy: 'policy:other' }, { message: 'mind the gap' },
      ...[{ quorum: 2 }, { roles: ['security'] }, { onTimeout: 'wait' as const }, { requireReason: true as const }, { notRequester: true as const }, { narrowOnly: true as const },
        { scopes: ['once' as const] }, { confirmation: true as const }, {}].map((one) => ({ terms: terms(one) })),
    ];
    const digests = [
      ...shown.map((one) => digest([plan], 'i1', one)),
      digest([plan], 'i2'),
      digest([plan, ...seen], 'i1'),
      digest([plan, previewed(previewTree('i1', 'else'))], 'i1'),
      digest([plan, previewed({ itemId: 'i1', absent: 'failed', tookMs: 1 })], 'i1'),
      digest([proposed(['write'])], 'i1'),
      digest(change(9), 'i1'), digest(change(10), 'i1'), digest(change(0), 'i1'), digest(change(9, { principal: 'ann' }), 'i1'), digest(change(9, { reason: 'typo' }), 'i1'),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digest([plan, ...seen, evaluated(verdict('i1', 'ask'))], 'i1')).toBe(digest([plan, ...seen], 'i1'));
    expect(digest([plan, previewed({ ...previewTree('i1'), tookMs: 99 })], 'i1')).toBe(digest([plan, ...seen], 'i1'));
  });

  it('is about the arguments as they stand now', () => {
    expect(foldOf(planFold, change(9)).items.get('i1')).toMatchObject({ corrections: [{ input: sealedInline({ n: 9 }) }], proposed: { input: sealedInline({ n: 0 }) } });
  });
});
