import { LIMITS, type TenantEvent, type VetoAnswer } from '@countersign/contracts';
import { planFacts } from '@countersign/testkit';
import { DELIVERY, PLAN_ID, at, policyInMemory } from '../test/policy-in-memory.js';
import type { VetoCall } from './veto-caller.js';

const subscriber = (name: string): TenantEvent => ({
  type: 'tenant.SubscriberRegistered', data: { subscriber: { name, url: 'https://checks.test/', deadlineMs: 1_000, secretVersion: 1 }, by: 'root', at: at(0) },
});
const said = (says: VetoAnswer['says'], message?: string) => async ({ subscriber: { name }, request }: VetoCall): Promise<VetoAnswer[]> =>
  request.items.map(({ itemId }) => ({ subscriber: name, itemId, says, ...(message === undefined ? {} : { message }), tookMs: 3 }));

async function withSubscribers(...names: readonly string[]) {
  const policy = policyInMemory();
  await policy.openSession();
  await policy.activate([{ id: 'puts', match: { tool_name: 'put' }, action: 'allow' }, { id: 'never', match: { tool_name: 'write' }, action: 'deny' }]);
  await policy.tenant(...names.map(subscriber));
  return policy;
}

describe('veto subscribers', () => {
  it('are asked once a round about the resource items that nothing denies yet, with all that they may need', async () => {
    const policy = await withSubscribers('dlp');
    await policy.asked(await policy.propose(['read', 'write', 'put', 'question']));
    expect(policy.vetoCalls.map(({ request }) => request)).toEqual([{
      plan: PLAN_ID, round: 1, tenant: 'acme', session: 's00000000aa', agent: 'coder',
      items: [{ itemId: 'i3', provider: 'files', operation: 'put', kind: 'resource', risk: 'moderate', inputDigest: planFacts.sealedInline({ n: 2 }).digest, input: { n: 2 } }],
    }]);
    expect(policy.verdicts().sort()).toEqual(['i1 allow policy:default', 'i2 deny policy:never', 'i3 allow policy:puts', 'i4 allow policy:default']);
  });

  it('hold up nothing but the items that they are asked about, and what they say is recorded', async () => {
    const policy = await withSubscribers('dlp');
    policy.subscribers.answer = async (call) => {
      expect(policy.verdicts()).toEqual(['i1 allow policy:default']);
      return said('deny', 'it leaks')(call);
    };
    await policy.asked(await policy.propose(['read', 'put']));
    expect(policy.verdicts()).toEqual(['i1 allow policy:default', 'i2 deny veto:dlp']);
    expect(policy.events().at(-1)).toMatchObject({
      data: { vetoes: [{ subscriber: 'dlp', itemId: 'i2', says: 'deny', message: 'it leaks', tookMs: 3 }], items: [{ itemId: 'i2', message: 'it leaks' }] },
    });
  });

  it('deny by failing, and one of several is enough', async () => {
    const policy = await withSubscribers('dlp', 'legal');
    policy.subscribers.answer = (call) => said(call.subscriber.name === 'legal' ? 'failed' : 'pass')(call);
    await policy.asked(await policy.propose(['put']));
    expect(policy.verdicts()).toEqual(['i1 deny veto:legal']);
  });

  it('are asked again about a corrected item, in another round', async () => {
    const policy = await withSubscribers('dlp');
    await policy.asked(await policy.propose(['edit']));
    await policy.previewed(await policy.preview(planFacts.previewTree('i1')));
    const corrected = await policy.plan(planFacts.corrected(planFacts.correction('i1', { n: 7 })));
    await policy.asked(corrected);
    await policy.previewed(await policy.preview({ ...planFacts.previewTree('i1'), correction: 1 }));
    expect(policy.vetoCalls.map(({ request }) => [request.round, request.items[0]!.input])).toEqual([[1, { n: 0 }], [2, { n: 7 }]]);
  });

  it('that were registered while others were asked are asked as well', async () => {
    const policy = await withSubscribers('dlp');
    policy.subscribers.answer = async (call) => {
      if (call.subscriber.name === 'dlp') await policy.tenant(subscriber('legal'));
      return said(call.subscriber.name === 'legal' ? 'deny' : 'pass')(call);
    };
    await policy.asked(await policy.propose(['put']));
    expect(policy.verdicts()).toEqual(['i1 deny veto:legal']);
  });

  it('count for nothing when the message was lost meanwhile', async () => {
    const policy = await withSubscribers('dlp');
    const lease = new AbortController();
    policy.subscribers.answer = async (call) => { lease.abort(); return said('failed')(call); };
    const event = await policy.propose(['put']);
    await expect(policy.evaluation.asked(event, { ...DELIVERY, signal: lease.signal })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(policy.verdicts()).toEqual([]);
  });

  it('of one tenant have only so many requests under way; what is over comes again', async () => {
    const policy = await withSubscribers('dlp');
    let answerAll = (): void => {};
    const asked = new Promise<void>((resolve) => { answerAll = resolve; });
    let calls = 0;
    let allCalled = (): void => {};
    const full = new Promise<void>((resolve) => { allCalled = resolve; });
    policy.subscribers.answer = async (call) => {
      calls += 1;
      if (calls === LIMITS.vetoInFlight) allCalled();
      await asked;
      return said('pass')(call);
    };
    const event = await policy.propose(['put']);
    const others = Array.from({ length: LIMITS.vetoInFlight }, () => policy.asked(event));
    await full;
    expect(await policy.asked(event)).toEqual({ retryInMs: expect.any(Number) });
    answerAll();
    await Promise.all(others);
    expect(policy.verdicts()).toEqual(['i1 allow policy:puts']);
  });
});
