import { LIMITS, itemIdAt, planKey, policyKey, sessionKey, type JsonObject, type PolicyBundle, type OperationSnapshot, type PlanEvent, type Proposed, type StoredEvent } from '@countersign/contracts';
import { planFold, previewOf } from '@countersign/domain-plan';
import { sessionFold } from '@countersign/domain-session';
import { PolicyView } from '@countersign/policy-view';
import { createAggregateStore, InMemoryBlobStore, InMemoryBroker, InMemoryEventLog, NOWHERE, seal, unseal } from '@countersign/event-log';
import { injectFaults } from '@countersign/fault-points';
import { GateError, digestOf } from '@countersign/kernel';
import { createProviderRegistry, fakeOperations, fakeProviderFactory, parseBehaviour, snapshotOf, type Provider, type ProviderCall } from '@countersign/providers';
import { planFacts } from '@countersign/testkit';
import type { Delivery } from '@countersign/transport-jetstream';
import { Fanout } from './fanout.js';
import { Guardrails } from './guardrails.js';

const TENANT = 'acme';
const key = planKey(TENANT, 's00000000aa-p00000000bb');
interface SpecItem { readonly provider: string; readonly operation?: string; readonly input?: JsonObject }

/** A proposed plan in a log, providers that are counted, and a fan-out over them. */
async function world(behaviours: Record<string, string>, items: readonly SpecItem[], timeoutMs = 400) {
  const broker = new InMemoryBroker();
  const blobs = new InMemoryBlobStore();
  const calls: ProviderCall[] = [];
  const fake = fakeProviderFactory();
  const registry = createProviderRegistry({ fake: (endpoint, tenant) => counted(fake(endpoint, tenant), calls) });
  const log = (author: 'planner' | 'policy' | 'preview-fanout'): InMemoryEventLog => new InMemoryEventLog(author, broker);
  const append = async (author: 'planner' | 'policy', event: PlanEvent): Promise<StoredEvent<PlanEvent>> => {
    await log(author).append(key, await log(author).end(key), { ...event, meta: { actor: 'service:test', correlationId: 'c1' } });
    return broker.all('GATE').at(-1) as StoredEvent<PlanEvent>;
  };
  await log('planner').append(sessionKey(TENANT, key.session as string), NOWHERE, {
    type: 'session.Opened', data: { agent: 'coder', profile: 'default', kind: 'chat', openedBy: 'agent', requestDigest: 'd', at: planFacts.T0 },
    meta: { actor: 'agent:agent', correlationId: 'c1' },
  });
  const proposed = await append('planner', await proposedOf(behaviours, items, blobs));
  const fanout = (): Fanout => new Fanout(createAggregateStore(log('preview-fanout'), planFold), blobs, registry, new Guardrails(new PolicyView(log('preview-fanout'), blobs), createAggregateStore(log('preview-fanout'), sessionFold), blobs, () => new Date()), timeoutMs);
  return {
    broker, blobs, calls, proposed, append, fanout,
    state: async () => (await createAggregateStore(log('preview-fanout'), planFold).fresh(key)).state,
    previewed: () => broker.all('GATE').flatMap((event) => (event.type === 'plan.Previewed' ? [event] : [])),
  };
}

async function proposedOf(behaviours: Record<string, string>, items: readonly SpecItem[], blobs: InMemoryBlobStore): Promise<PlanEvent> {
  const operations: Record<string, OperationSnapshot> = {};
  const providers: Record<string, Proposed['providers'][string]> = {};
  for (const [provider, behaviour] of Object.entries(behaviours)) {
    providers[provider] = { version: 1, digest: provider, endpoint: { transport: 'fake', behaviour } };
    for (const schema of fakeOperations(parseBehaviour(behaviour))) operations[`${provider}/${schema.name}`] = snapshotOf(provider, schema);
  }
  const sealed = await Promise.all(items.map(async ({ provider, operation = 'write_note', input }, index) => ({
    itemId: itemIdAt(index), callId: `c${index}`, operation: `${provider}/${operation}`,
    input: await seal(input ?? { name: `n${index + 1}`, text: 't' }, { blobs, tenant: TENANT }),
  })));
  return planFacts.proposed([], { providers, operations, items: sealed });
}

function counted(provider: Provider, calls: ProviderCall[]): Provider {
  return {
    describe: async () => await provider.describe(), apply: async (call) => await provider.apply(call), reconcile: async (call) => await provider.reconcile(call),
    close: async () => await provider.close(), preview: async (call) => { calls.push(call); return await provider.preview(call); },
  };
}

const deliveryOf = (event: StoredEvent, deliveries = 1, lease = new AbortController()): Delivery => ({
  stream: event.stream, sequence: event.sequence, deliveries, signal: lease.signal, leaseLeftMs: () => 10_000, working: () => undefined,
  message: { stream: event.stream, sequence: event.sequence, subject: '', data: new Uint8Array() },
});
const absentOf = (item: Parameters<typeof previewOf>[0]): unknown => {
  const preview = previewOf(item);
  return preview && 'absent' in preview ? preview.absent : preview && 'there';
};

describe('fan-out', () => {
  afterEach(() => injectFaults(''));

  it('previews what is previewable, and nothing else, with one event', async () => {
    const { fanout, proposed, previewed, calls, state } = await world({ a: '', b: '', c: 'previewable=no' }, [
      { provider: 'a' }, { provider: 'a', operation: 'echo_read', input: { text: 'x' } }, { provider: 'b' }, { provider: 'c' }, { provider: 'a', operation: 'noop', input: {} },
    ]);
    await fanout().previewPlan(proposed, deliveryOf(proposed));
    expect(previewed()).toHaveLength(1);
    expect(previewed()[0]!.author).toBe('preview-fanout');
    expect(previewed()[0]!.data.items.map((item) => item.itemId).sort()).toEqual(['i1', 'i3']);
    expect(calls).toHaveLength(2);
    expect((await state()).items.get('i1')!.preview).toMatchObject({ fingerprint: 'note:n1', tree: { value: { nodes: [{ type: 'text' }, { type: 'code_block', text: 't' }] } } });
  });

  it('records why a preview is absent, and does not let a slow one hold back the others', async () => {
    const behaviours = { ok: '', hang: 'preview=hang', crash: 'preview=crash', none: 'preview=unsupported', large: 'preview=large', broken: 'preview=throw' };
    const { fanout, proposed, previewed, state } = await world(behaviours, Object.keys(behaviours).map((provider) => ({ provider })), 1_000);
    const started = performance.now();
    await fanout().previewPlan(proposed, deliveryOf(proposed));
    expect(performance.now() - started).toBeLessThan(4_000);
    expect([...(await state()).items.values()].map(absentOf)).toEqual(['there', 'timeout', 'failed', 'unsupported', 'too_large', 'failed']);
    expect(previewed().map((event) => event.data.items.length)).toEqual([5, 1]);
    expect(previewed()[1]!.data.items).toMatchObject([{ itemId: 'i2', absent: 'timeout' }]);
  });

  it('sends the input that the log holds, wherever it lies, and stores a large tree beside the log', async () => {
    const text = 'y'.repeat(LIMITS.inlineBodyBytes * 2);
    const { fanout, proposed, calls, state, blobs } = await world({ a: '' }, [{ provider: 'a', input: { name: 'big', text } }]);
    await fanout().previewPlan(proposed, deliveryOf(proposed));
    expect(calls[0]!.input).toEqual({ name: 'big', text });
    const preview = (await state()).items.get('i1')!.preview!;
    if (!('tree' in preview)) throw new Error('no tree');
    expect(preview.tree.value).toBeUndefined();
    expect(await unseal(preview.tree, { blobs, tenant: TENANT })).toEqual({ nodes: [{ type: 'text', text: 'write_note big' }, { type: 'code_block', text }] });
  });

  it('previews only what is missing when the message comes again', async () => {
    const { fanout, proposed, previewed, calls } = await world({ a: '', slow: 'preview-slow=200' }, [{ provider: 'a' }, { provider: 'slow' }]);
    injectFaults('preview-fanout.before-append=throw@2');
    await expect(fanout().previewPlan(proposed, deliveryOf(proposed))).rejects.toThrow('preview-fanout.before-append');
    injectFaults('');
    await fanout().previewPlan(proposed, deliveryOf(proposed, 2));
    await fanout().previewPlan(proposed, deliveryOf(proposed, 3));
    expect(calls.map((call) => call.operation.provider)).toEqual(['a', 'slow', 'slow']);
    expect(previewed().map((event) => event.data.items.map((item) => item.itemId))).toEqual([['i1'], ['i2']]);
  });

  it('skips what is judged, also while it asks', async () => {
    const judged = await world({ a: '' }, [{ provider: 'a' }, { provider: 'a' }]);
    await judged.append('policy', planFacts.evaluated(planFacts.verdict('i1', 'deny')));
    await judged.fanout().previewPlan(judged.proposed, deliveryOf(judged.proposed));
    expect(judged.calls.map((call) => call.input['name'])).toEqual(['n2']);

    const late = await world({ slow: 'preview-slow=100' }, [{ provider: 'slow' }]);
    const fanned = late.fanout().previewPlan(late.proposed, deliveryOf(late.proposed));
    await late.append('policy', planFacts.evaluated(planFacts.verdict('i1', 'deny')));
    await fanned;
    expect(late.previewed()).toEqual([]);
  });

  it('previews a corrected item anew, by its new arguments', async () => {
    const { fanout, proposed, append, calls, state } = await world({ a: '' }, [{ provider: 'a' }, { provider: 'a' }]);
    await fanout().previewPlan(proposed, deliveryOf(proposed));
    await append('policy', planFacts.evaluated(planFacts.verdict('i1', 'ask'), planFacts.verdict('i2', 'ask')));
    const corrected = await append('planner', planFacts.corrected(planFacts.correction('i1', { name: 'other', text: 't' })));
    await fanout().previewPlan(corrected, deliveryOf(corrected));
    expect(calls.map((call) => call.input['name'])).toEqual(['n1', 'n2', 'other']);
    expect((await state()).items.get('i1')!.preview).toMatchObject({ correction: 1, fingerprint: 'note:other' });
  });

  it('keeps the arguments of what a guardrail denies from its provider, and says so', async () => {
    const large = 'y'.repeat(LIMITS.inlineBodyBytes * 2);
    const { broker, blobs, fanout, proposed, calls, state } = await world({ a: '' }, [{ provider: 'a', input: { name: 'secret', text: 't' } }, { provider: 'a' }, { provider: 'a', input: { name: 'secret', text: large } }]);
    const bundle: PolicyBundle = { rules: [{ id: 'no-secrets', match: { provider: 'a' }, when: 'input.name == "secret"', action: 'deny' }] };
    const guardrails = policyKey(TENANT, 'guardrails');
    const policy = new InMemoryEventLog('policy', broker);
    await policy.append(guardrails, await policy.end(guardrails), {
      type: 'policy.BundleActivated', data: { version: 1, digest: digestOf(bundle), bundle: await seal(bundle, { blobs, tenant: TENANT }), by: 'root', at: '2026-03-01T10:00:00.000Z' },
      meta: { actor: 'person:root', correlationId: 'c1' },
    });
    await fanout().previewPlan(proposed, deliveryOf(proposed));
    expect([...(await state()).items.values()].map(absentOf)).toEqual(['guardrail', 'there', 'guardrail']);
    expect(calls.map((call) => call.input['name'])).toEqual(['n2']);
  });

  it('says failed where the stored input is gone', async () => {
    const { fanout, proposed, blobs, state } = await world({ a: '' }, [{ provider: 'a', input: { name: 'n', text: 'y'.repeat(40_000) } }, { provider: 'a' }]);
    blobs.lose('BLOBS', TENANT, (await state()).items.get('i1')!.proposed.input.digest);
    await fanout().previewPlan(proposed, deliveryOf(proposed));
    expect([...(await state()).items.values()].map(absentOf)).toEqual(['failed', 'there']);
  });

  it('says nothing of an item whose stored input cannot be read for now, and lets the message come again', async () => {
    const { fanout, proposed, blobs, state } = await world({ a: '' }, [{ provider: 'a', input: { name: 'n', text: 'y'.repeat(40_000) } }, { provider: 'a' }]);
    const get = blobs.get.bind(blobs);
    blobs.get = async () => { throw new GateError('UNAVAILABLE'); };
    await expect(fanout().previewPlan(proposed, deliveryOf(proposed))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect([...(await state()).items.values()].map(absentOf)).toEqual([undefined, 'there']);
    blobs.get = get;
    await fanout().previewPlan(proposed, deliveryOf(proposed, 2));
    expect([...(await state()).items.values()].map(absentOf)).toEqual(['there', 'there']);
  });

  it('records nothing once it has lost the message', async () => {
    const { fanout, proposed, previewed } = await world({ a: 'preview=hang' }, [{ provider: 'a' }]);
    const lease = new AbortController();
    setTimeout(() => lease.abort(), 30);
    await expect(fanout().previewPlan(proposed, deliveryOf(proposed, 1, lease))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(previewed()).toEqual([]);
  });
});
