import type { JsonObject, PlanEvent, Sealed } from '@countersign/contracts';
import { planFold } from '@countersign/domain-plan';
import { InMemoryBlobStore, seal } from '@countersign/event-log';
import { canonicalJson, foldOf } from '@countersign/kernel';
import { planFacts } from '@countersign/testkit';
import type { Caller } from '../auth/caller.js';
import { ONE_ITEM, WHOLE_PLAN, WHOLE_PLAN_FOR_EVER, bodiesOf, type BodyRules } from './bodies.js';
import { resultText } from './tool-result-text.js';
import { planView } from './view.js';
import { whyOf } from './why.js';

const { PLAN_ID, answer, answered, applyStarted, attemptAt, closed, evaluated, itemOutcome, outcomes, previewTree, previewed, proposed, sealedInline, verdict } = planFacts;

const where = (blobs = new InMemoryBlobStore()) => ({ blobs, tenant: 'acme' });

async function shown(events: readonly PlanEvent[], rules: BodyRules = WHOLE_PLAN, at = where(), viewer?: Caller) {
  const state = foldOf(planFold, events);
  return planView({ planId: PLAN_ID, sessionId: 's00000000aa', plan: state, sequence: events.length, bodies: await bodiesOf(state.items.values(), at, rules), viewer });
}

async function stored(value: unknown, store: 'BLOBS' | 'RESULTS', at: ReturnType<typeof where>): Promise<Sealed<never>> {
  return await seal(value, { ...at, store }) as Sealed<never>;
}

describe('the view of a plan', () => {
  it('shows an item through all of its life', async () => {
    const life: PlanEvent[] = [
      proposed(['edit']), previewed(previewTree('i1', 'the effect')), evaluated(verdict('i1', 'ask', { message: 'writes are asked' })),
      answered(answer('i1', 'approve', { reason: 'looks right' })), applyStarted([attemptAt('i1')]), outcomes(itemOutcome('i1', 'applied', { result: sealedInline('done') })),
    ];
    const item = async (count: number) => (await shown(life.slice(0, count))).items[0]!;
    expect(await item(1)).toEqual({
      itemId: 'i1', callId: 'c1', provider: 'files', operation: 'edit', category: 'tool', kind: 'resource', risk: 'moderate', description: 'does edit',
      input: { n: 0 }, inputDigest: sealedInline({ n: 0 }).digest, decision: 'pending',
    });
    expect(await item(2)).toMatchObject({ decision: 'pending', preview: { nodes: [{ type: 'text', text: 'the effect' }] } });
    expect(await item(3)).toMatchObject({ decision: 'ask', decidedBy: 'policy:default', message: 'writes are asked', itemDigest: 'digest-of-i1', expiresAt: expect.any(String) });
    expect(await item(4)).toMatchObject({ decision: 'allow', decidedBy: 'person:ops', itemDigest: 'digest-of-i1', answer: { decision: 'approve', reason: 'looks right' } });
    expect(await item(5)).toMatchObject({ startedAt: expect.any(String) });
    expect((await item(5)).endedAt).toBeUndefined();
    expect(await item(6)).toMatchObject({ outcome: 'applied', result: 'done', toolResult: { isError: false, text: 'done' }, endedAt: expect.any(String) });
    expect((await shown(life)).status).toBe('settled');
  });

  it('says why there is no preview, and shows none where none is due', async () => {
    const view = await shown([proposed(['edit', 'edit', 'write']), previewed({ itemId: 'i1', absent: 'timeout', tookMs: 5 }), evaluated(verdict('i1', 'ask'), verdict('i2', 'ask'), verdict('i3', 'ask'))]);
    expect(view.items.map((item) => item.previewAbsent)).toEqual(['timeout', 'fanout_unavailable', undefined]);
  });

  it('shows why a plan was closed', async () => {
    expect(await shown([proposed(['write']), closed('policy_unavailable')])).toMatchObject({ status: 'settled', closed: { reason: 'policy_unavailable' }, items: [{ decision: 'deny', decidedBy: 'policy:unavailable', outcome: 'denied' }] });
  });

  it('gives the same bytes for the same events, also when a result has gone in between', async () => {
    const at = where();
    const result = await stored({ content: 'r'.repeat(20_000) }, 'RESULTS', at);
    const events = [proposed(['read']), evaluated(verdict('i1', 'allow')), outcomes(itemOutcome('i1', 'applied', { result }))];
    const before = await shown(events, WHOLE_PLAN_FOR_EVER, at);
    expect(before.items[0]).toMatchObject({ resultAbsent: 'may_expire', resultDigest: result.digest });
    at.blobs.lose('RESULTS', 'acme', result.digest);
    expect(JSON.stringify(await shown(events, WHOLE_PLAN_FOR_EVER, at))).toBe(JSON.stringify(before));
  });

  it('says that a result is no longer kept, and tells the model nothing made up', async () => {
    const at = where();
    const result = await stored('r'.repeat(20_000), 'RESULTS', at);
    const events = [proposed(['read']), evaluated(verdict('i1', 'allow')), outcomes(itemOutcome('i1', 'applied', { result }))];
    expect((await shown(events, WHOLE_PLAN, at)).items[0]).toMatchObject({ result: 'r'.repeat(20_000), toolResult: { isError: false } });
    at.blobs.lose('RESULTS', 'acme', result.digest);
    const [item] = (await shown(events, WHOLE_PLAN, at)).items;
    expect([item!.resultAbsent, item!.result, item!.toolResult]).toEqual(['expired', undefined, undefined]);
  });

  it('refuses to show a plan whose input is lost', async () => {
    const at = where();
    const input = await stored({ big: 'i'.repeat(20_000) }, 'BLOBS', at);
    at.blobs.lose('BLOBS', 'acme', input.digest);
    const event = proposed(['read']) as Extract<PlanEvent, { type: 'plan.Proposed' }>;
    const events = [{ ...event, data: { ...event.data, items: event.data.items.map((item) => ({ ...item, input })) } }];
    await expect(shown(events, WHOLE_PLAN, at)).rejects.toMatchObject({ code: 'BLOB_MISSING' });
  });

  it('leaves bodies beyond the limit to the item’s own view', async () => {
    const events = [proposed(['write', 'write', 'write'])];
    const limited = await shown(events, { onlyKept: false, limitBytes: 2 * canonicalJson({ n: 0 }).length });
    expect(limited.items.map((item) => [item.input, item.inputAbsent])).toEqual([[{ n: 0 }, undefined], [{ n: 1 }, undefined], [undefined, 'view_limit']]);
    expect((await shown(events, ONE_ITEM)).items[2]!.input).toEqual({ n: 2 });
  });
});

describe('the text of a result', () => {
  it.each<[unknown, string]>([
    ['plain', 'plain'], [{ content: [{ type: 'text', text: 'a' }, { type: 'text', text: 'b' }] }, 'a\nb'],
    [{ content: [{ type: 'image', data: 'x' }] }, '{"content":[{"data":"x","type":"image"}]}'], [{ b: 1, a: [] }, '{"a":[],"b":1}'], [null, 'null'], [{ content: [] }, '{"content":[]}'],
  ])('of %j is %j', (result, text) => {
    expect(resultText(result as JsonObject)).toBe(text);
  });

  it('is cut where it is too long, and never within a character', () => {
    const text = resultText(`${'a'.repeat(64 * 1024 - 1)}😀 and more`);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toMatch(/a\n\[cut: \d+ more characters\]$/);
  });
});

describe('why a plan waits', () => {
  const stored = (events: readonly PlanEvent[]) => events.map((event, index) => ({ ...event, sequence: index + 1, time: `t${index + 1}` })) as never;

  it('names the hop for each item and the moment it began to wait for it', () => {
    const { waits, status } = whyOf(PLAN_ID, stored([
      proposed(['read', 'edit', 'write', 'put', 'edit']), previewed(previewTree('i2')),
      evaluated(verdict('i1', 'allow'), verdict('i3', 'ask'), verdict('i4', 'allow')), applyStarted([attemptAt('i4')]),
    ]));
    expect(status).toBe('open');
    expect(waits.map(({ itemIds, waitsFor, since }) => [waitsFor, since, itemIds]).sort()).toEqual([
      ['executor', 't3', ['i1']], ['person', 't3', ['i3']], ['policy', 't2', ['i2']], ['preview-fanout', 't1', ['i5']], ['provider', 't4', ['i4']],
    ]);
  });

  it('has nothing to say of a settled plan', () => {
    expect(whyOf(PLAN_ID, stored([proposed(['write']), evaluated(verdict('i1', 'deny'))]))).toMatchObject({ status: 'settled', sequence: 2, waits: [] });
  });
});
