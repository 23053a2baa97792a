import { foldOf } from '@countersign/kernel';
import type { PlanEvent } from '@countersign/contracts';
import { planFacts, scenario } from '@countersign/testkit';
import { itemDigestOf } from '../item-digest.js';
import { planFold } from '../state.js';
import { recordVerdicts, type JudgedItem, type RecordVerdicts } from './record-verdicts.js';

const { PLAN_ID, answer, answered, at, closed, evaluated, previewTree, previewed, proposed, verdict } = planFacts;
const on = scenario(planFold, recordVerdicts);
const facts = { bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: at(1), engine: 'core-1' };
const command = (...verdicts: readonly JudgedItem[]): RecordVerdicts => ({ planId: PLAN_ID, verdicts, askExpiresAt: at(1_800), ...facts });
const judged = (itemId: string, decision: 'allow' | 'ask' | 'deny'): JudgedItem => ({ itemId, decision, decidedBy: 'policy:default' });
const digest = (events: PlanEvent[], itemId: string, terms: { expiresAt?: string }): string =>
  itemDigestOf(PLAN_ID, foldOf(planFold, events).items.get(itemId)!, terms);

describe('recordVerdicts', () => {
  const plan = proposed(['read', 'write', 'edit']);

  it('adds the digest, and the terms of an ask', () => {
    on.given([plan]).when(command(judged('i1', 'allow'), judged('i2', 'ask'))).then([evaluated(
      verdict('i1', 'allow', { itemDigest: digest([plan], 'i1', {}) }),
      verdict('i2', 'ask', { itemDigest: digest([plan], 'i2', { expiresAt: at(1_800) }) }),
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

describe('itemDigestOf', () => {
  const plan = proposed(['edit', 'edit']);
  const seen = [previewed(previewTree('i1'))];

  it('changes with the item, its input, its preview, the reason of its absence and the terms, and with nothing else', () => {
    const digests = [
      digest([plan], 'i1', {}),
      digest([plan], 'i2', {}),
      digest([plan], 'i1', { expiresAt: at(60) }),
      digest([plan, ...seen], 'i1', {}),
      digest([plan, previewed(previewTree('i1', 'else'))], 'i1', {}),
      digest([plan, previewed({ itemId: 'i1', absent: 'failed', tookMs: 1 })], 'i1', {}),
      digest([proposed(['write'])], 'i1', {}),
    ];
    expect(new Set(digests).size).toBe(digests.length);
    expect(digest([plan, ...seen, evaluated(verdict('i1', 'ask'))], 'i1', {})).toBe(digests[3]);
  });
});
