import type { AskTerms } from '@countersign/contracts';
import { itemDigestOf, planFold } from '@countersign/domain-plan';
import { NO_RULES_DIGEST } from '@countersign/domain-policy-bundle';
import { injectFaults } from '@countersign/fault-points';
import { foldOf } from '@countersign/kernel';
import { ENGINE_VERSION } from '@countersign/policy-engine';
import { planFacts } from '@countersign/testkit';
import { DELIVERY, PLAN_ID, at, policyInMemory } from '../test/policy-in-memory.js';

/** The terms of an ask that no rule makes stricter. */
const ONCE_OR_MORE: AskTerms = { quorum: 1, onTimeout: 'deny', scopes: ['once', 'session', 'always'] };

async function withSession(): Promise<ReturnType<typeof policyInMemory>> {
  const policy = policyInMemory();
  await policy.openSession();
  return policy;
}

afterEach(() => injectFaults(''));

describe('a proposal', () => {
  it('is judged whole in one event by the defaults of a tenant without rules, reading nothing of the plan', async () => {
    const policy = await withSession();
    const event = await policy.propose(['read', 'write', 'question']);
    expect(await policy.asked(event)).toBeUndefined();
    expect(policy.verdicts()).toEqual(['i1 allow policy:default', 'i2 ask policy:default', 'i3 allow policy:default']);
    const [proposed, evaluated] = policy.events();
    expect(evaluated).toMatchObject({
      type: 'plan.Evaluated', rev: 2, author: 'policy', meta: { actor: 'service:policy', correlationId: 'r1', causationId: `GATE:${proposed!.sequence}` },
      data: { round: 1, bundle: { version: 0, digest: NO_RULES_DIGEST }, saw: { session: 1, catalogue: 0 }, evaluatedAt: at(0), engine: ENGINE_VERSION },
    });
    // the session only: the proposal is the plan's whole past
    expect(policy.log.loads).toBe(1);
  });

  it('gives an ask its absolute expiry and the digest an answer must name', async () => {
    const policy = await withSession();
    await policy.asked(await policy.propose(['write']));
    const plan = foldOf(planFold, policy.events().slice(0, 1));
    expect(policy.events()[1]).toMatchObject({
      data: { items: [{ itemId: 'i1', expiresAt: at(1_800), itemDigest: itemDigestOf(PLAN_ID, plan.items.get('i1')!, { decision: 'ask', decidedBy: 'policy:default', terms: ONCE_OR_MORE, expiresAt: at(1_800) }) }] },
    });
  });

  it('is judged once, however often it is delivered', async () => {
    const policy = await withSession();
    const event = await policy.propose(['write']);
    await Promise.all([policy.asked(event), policy.asked(event), policy.asked(event)]);
    await policy.asked(event);
    expect(policy.events().map(({ type }) => type)).toEqual(['plan.Proposed', 'plan.Evaluated']);
  });

  it('is judged once by two processes', async () => {
    const policy = await withSession();
    const event = await policy.propose(['write', 'read']);
    const other = policy.another();
    await Promise.all([policy.asked(event), other.evaluation.asked(event, DELIVERY)]);
    expect(policy.events().map(({ type }) => type)).toEqual(['plan.Proposed', 'plan.Evaluated']);
  });

  it('is denied when its session has ended', async () => {
    const policy = await withSession();
    await policy.endSession();
    await policy.asked(await policy.propose(['read', 'write']));
    expect(policy.verdicts()).toEqual(['i1 deny session:ended', 'i2 deny session:ended']);
  });

  it('is denied when its session ends while it is judged and another append comes first', async () => {
    const policy = await withSession();
    const event = await policy.propose(['edit', 'read']);
    injectFaults('policy.before-append=delay:50@1');
    const judged = policy.asked(event);
    await new Promise((resolve) => setTimeout(resolve, 10));
    await policy.endSession();
    await policy.preview(planFacts.previewTree('i1'));
    await judged;
    expect(policy.verdicts()).toEqual(['i1 deny session:ended', 'i2 deny session:ended']);
  });

  it('is denied when its session was never opened', async () => {
    const policy = policyInMemory();
    await policy.asked(await policy.propose(['read']));
    expect(policy.verdicts()).toEqual(['i1 deny session:ended']);
  });

  it('that was closed meanwhile stays as it is', async () => {
    const policy = await withSession();
    const event = await policy.propose(['write']);
    await policy.close();
    await policy.asked(event);
    expect(policy.events().map(({ type }) => type)).toEqual(['plan.Proposed', 'plan.Closed']);
  });

  it('too large for one event of verdicts takes several', async () => {
    const policy = await withSession();
    await policy.activate([{ id: 'talkative', match: {}, action: 'deny', message: 'because '.repeat(200) }]);
    await policy.asked(await policy.propose(Array.from({ length: 300 }, () => 'write')));
    expect(policy.verdicts()).toHaveLength(300);
    expect(policy.events().length).toBeGreaterThan(2);
  });

  it('of 1,000 items is judged in one event', async () => {
    const policy = await withSession();
    const operation = planFacts.OPERATIONS['files/write']!;
    await policy.asked(await policy.propose(Array.from({ length: 1_000 }, () => 'write'), { operations: { 'files/write': operation } }));
    expect(policy.verdicts()).toHaveLength(1_000);
    expect(policy.events().length).toBeLessThanOrEqual(3);
  });
});

describe('previews', () => {
  const { previewTree } = planFacts;

  it('hold back their own items only, until they come', async () => {
    const policy = await withSession();
    const event = await policy.propose(['read', 'edit', 'write']);
    expect(await policy.asked(event)).toEqual({ retryInMs: 6_025 });
    expect(policy.verdicts()).toEqual(['i1 allow policy:default', 'i3 ask policy:default']);
    await policy.previewed(await policy.preview(previewTree('i2')));
    expect(policy.verdicts().slice(2)).toEqual(['i2 ask policy:default']);
    policy.setSeconds(7);
    expect(await policy.asked(event)).toBeUndefined();
    expect(policy.events().map(({ type }) => type)).toEqual(['plan.Proposed', 'plan.Evaluated', 'plan.Previewed', 'plan.Evaluated']);
  });

  it('that are overdue are judged as absent', async () => {
    const policy = await withSession();
    const event = await policy.propose(['edit']);
    expect(await policy.asked(event)).toEqual({ retryInMs: 6_025 });
    policy.setSeconds(5);
    expect(await policy.asked(event)).toEqual({ retryInMs: 1_025 });
    policy.setSeconds(6);
    expect(await policy.asked(event)).toBeUndefined();
    expect(policy.verdicts()).toEqual(['i1 ask policy:default']);
    const item = foldOf(planFold, policy.events()).items.get('i1')!;
    expect(item.verdict?.itemDigest).toBe(itemDigestOf(PLAN_ID, { ...item, preview: { itemId: 'i1', absent: 'fanout_unavailable', tookMs: 0 } }, item.verdict!));
  });

  it('that come before the proposal was handled are judged with it', async () => {
    const policy = await withSession();
    const event = await policy.propose(['edit', 'read']);
    const preview = await policy.preview(previewTree('i1'));
    await policy.previewed(preview);
    expect(await policy.asked(event)).toBeUndefined();
    expect(policy.verdicts()).toEqual(['i1 ask policy:default', 'i2 allow policy:default']);
    expect(policy.events()).toHaveLength(3);
  });
});

describe('rules', () => {
  const propose = async (policy: ReturnType<typeof policyInMemory>) => policy.asked(await policy.propose(['read', 'write', 'question']));

  it('that were activated before the proposal judge it', async () => {
    const policy = await withSession();
    const activated = await policy.activate([{ id: 'no-writes', match: { tool_name: 'write' }, action: 'deny', message: 'read only' }]);
    await propose(policy);
    expect(activated).toMatchObject({ sequence: 1, version: 1, warnings: [] });
    expect(policy.verdicts()).toEqual(['i1 allow policy:default', 'i2 deny policy:no-writes', 'i3 allow policy:default']);
    expect(policy.events().at(-1)).toMatchObject({ data: { bundle: { version: 1 }, saw: { catalogue: 1 } } });
  });

  it('that another process activated judge the next proposal too', async () => {
    const policy = await withSession();
    await policy.view.of('acme');
    await policy.another().bundles.activate({ context: policy.context, layer: 'rules', bundle: { rules: [{ id: 'no-writes', match: { tool_name: 'write' }, action: 'deny' }] }, at: at(0) });
    await propose(policy);
    expect(policy.verdicts()[1]).toBe('i2 deny policy:no-writes');
  });

  it('turn an ask about what nobody can be asked into a deny, and say so', async () => {
    const policy = await withSession();
    await policy.activate([{ id: 'ask-all', match: {}, action: 'ask' }]);
    await propose(policy);
    expect(policy.verdicts()).toEqual(['i1 deny policy:ask-all downgraded', 'i2 ask policy:ask-all', 'i3 deny policy:ask-all downgraded']);
    expect(policy.warnings).toEqual([{ tenant: 'acme', plan: PLAN_ID, items: [{ itemId: 'i1', decidedBy: 'policy:ask-all' }, { itemId: 'i3', decidedBy: 'policy:ask-all' }] }]);
  });

  it('that are refused leave the standing ones in force', async () => {
    const policy = await withSession();
    await policy.activate([{ id: 'no-reads', match: { kind: 'data_source' }, action: 'deny' }]);
    await expect(policy.activate([{ id: 'a', match: {}, action: 'allow' }, { id: 'b', match: {}, action: 'deny' }])).rejects.toMatchObject({ code: 'POLICY_CONFLICT' });
    await expect(policy.activate([{ id: 'a', match: {}, action: 'allow', when: 'x' }])).rejects.toMatchObject({ code: 'POLICY_INVALID' });
    await propose(policy);
    expect(policy.verdicts()[0]).toBe('i1 deny policy:no-reads');
  });

  it('say nothing when they are in force already, and are refused when they are too many to be read', async () => {
    const policy = await withSession();
    const rules = [{ id: 'any', match: {}, action: 'allow' }];
    expect(await policy.activate(rules)).toMatchObject({ sequence: 1, version: 1, warnings: ['Rule any has an empty match: it matches every item'] });
    expect(await policy.activate(rules)).toMatchObject({ sequence: 1, version: 1, repeated: true });
    const long = Array.from({ length: 600 }, (_, index) => ({ id: `r${index}`, match: { tool_name: `op${index}` }, action: 'deny', message: 'x'.repeat(2_000) }));
    await expect(policy.activate(long)).rejects.toMatchObject({ code: 'POLICY_INVALID' });
  });

  it('are read again only when the tenant’s catalogue has moved', async () => {
    const policy = await withSession();
    const first = await policy.view.of('acme');
    expect(await policy.view.of('acme')).toBe(first);
    await policy.touchCatalogue();
    const second = await policy.view.of('acme');
    expect([second.sequence, second.parts.rules]).toEqual([1, first.parts.rules]);
    expect((await policy.view.of('other')).sequence).toBe(0);
  });
});
