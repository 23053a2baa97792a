import {
  itemIdAt, planKey, sessionKey, tenantKey, type FreezeTarget, type ItemVerdict, type JsonObject, type OperationSnapshot, type PlanEvent, type Proposed, type SessionEvent, type StoredEvent, type TenantEvent, type ToolSchema,
} from '@countersign/contracts';
import { planFold, type PlanState } from '@countersign/domain-plan';
import { sessionFold } from '@countersign/domain-session';
import { tenantFold } from '@countersign/domain-tenant';
import { createAggregateStore, InMemoryBlobStore, InMemoryBroker, InMemoryEventLog, seal } from '@countersign/event-log';
import { createProviderRegistry, fakeOperations, fakeProviderFactory, memorySink, parseBehaviour, SchemaChecks, snapshotOf, type Provider, type ProviderCall } from '@countersign/providers';
import { planFacts } from '@countersign/testkit';
import type { Delivery } from '@countersign/transport-jetstream';
import { ApplyPlan } from '../apply-plan.js';
import { LockDomains } from '../lock-domains.js';
import { RunningCalls } from '../running-calls.js';
import { TenantViews } from '../tenant-views.js';
import type { ExecutorParts } from '../work.js';

export const TENANT = 'acme';
export const SESSION = 's00000000aa';
export const PLAN = `${SESSION}-p00000000bb`;
export const key = planKey(TENANT, PLAN);
const meta = { actor: 'service:test', correlationId: 'c1' };

export interface SpecItem {
  /** Name of the provider; its behaviour is given to the world. */
  readonly provider: string;
  readonly operation: string;
  readonly input?: JsonObject;
}

/** A log, fake providers that are counted, and executors over them. Only for specs. */
export async function specWorld(behaviours: Record<string, string>, change: (schema: ToolSchema) => ToolSchema = (schema) => schema) {
  const broker = new InMemoryBroker();
  const blobs = new InMemoryBlobStore();
  const sink = memorySink();
  const calls: string[] = [];
  const running = { now: 0, most: 0 };
  const clock = { seconds: 0 };
  const logs = { planner: new InMemoryEventLog('planner', broker), policy: new InMemoryEventLog('policy', broker), executor: new InMemoryEventLog('executor', broker) };
  const fake = fakeProviderFactory({ sink });
  const registry = createProviderRegistry({ fake: (endpoint, tenant) => counted(fake(endpoint, tenant), calls, running) });
  const warnings: object[] = [];
  const logger = { info: () => undefined, warn: (fields: object) => void warnings.push(fields), error: (fields: object) => void warnings.push(fields) };

  const append = async (log: InMemoryEventLog, event: PlanEvent, plan = key): Promise<StoredEvent<PlanEvent>> => {
    await log.append(plan, await log.end(plan), { ...event, meta });
    return broker.all('GATE').at(-1) as StoredEvent<PlanEvent>;
  };
  const session = sessionKey(TENANT, SESSION);
  await logs.planner.append(session, { rev: 0, sequence: 0 }, {
    type: 'session.Opened', meta,
    data: { agent: 'a', profile: 'default', kind: 'chat', openedBy: 'p', requestDigest: 'd', at: planFacts.T0 },
  });
  const inSession = async (event: SessionEvent): Promise<unknown> => await logs.planner.append(session, await logs.planner.end(session), { ...event, meta });
  const tenant = tenantKey(TENANT);
  const ofTenant = async (event: TenantEvent): Promise<unknown> => await logs.planner.append(tenant, await logs.planner.end(tenant), { ...event, meta });
  const partsOf = (instance: string, change: Partial<ExecutorParts> = {}): ExecutorParts => {
    const tenants = new TenantViews(createAggregateStore(logs.executor, tenantFold));
    return { ...standardParts(instance, tenants), ...change };
  };
  const standardParts = (instance: string, tenants: TenantViews): ExecutorParts => ({
    plans: createAggregateStore(logs.executor, planFold), sessions: createAggregateStore(logs.executor, sessionFold), tenants, running: new RunningCalls(tenants, logger), blobs, registry,
    locks: new LockDomains(), schemas: new SchemaChecks(), logger, instance,
    now: () => new Date(Date.parse(planFacts.at(2)) + clock.seconds * 1_000),
  });

  return {
    broker, blobs, sink, calls, logs, registry, append, warnings, clock,
    /** Most calls that ran at once. */
    peak: () => running.most,
    executor: (instance = 'e1', change: Partial<ExecutorParts> = {}) => new ApplyPlan(partsOf(instance, change)),
    endSession: async () => await inSession({ type: 'session.Ended', data: { by: 'p', reason: 'over', at: planFacts.T0 } }),
    inSession,
    /** The tenant, on its first freeze, is registered as well. */
    freeze: async (target: FreezeTarget = {}, freezeId = 'f1') => {
      const at = planFacts.T0;
      if ((await logs.planner.end(tenant)).rev === 0) await ofTenant({ type: 'tenant.Registered', data: { name: 'Acme', localProcesses: true, keys: [], at } });
      await ofTenant({ type: 'tenant.Frozen', data: { freeze: { freezeId, target, by: 'ops', reason: 'odd', at } } });
    },
    unfreeze: async (freezeId = 'f1') => await ofTenant({ type: 'tenant.Unfrozen', data: { freezeId, by: 'ops', at: planFacts.T0 } }),
    cancel: async () => await append(logs.planner, planFacts.closed('cancelled')),
    propose: async (items: readonly SpecItem[], plan = key) => await append(logs.planner, await proposedOf(items, behaviours, change, blobs), plan),
    judge: async (...verdicts: readonly ItemVerdict[]) => await append(logs.policy, planFacts.evaluated(...verdicts)),
    plan: async (): Promise<PlanState> => (await createAggregateStore(logs.executor, planFold).fresh(key)).state,
    events: () => broker.all('GATE').filter((event) => event.key.aggregate === 'plan'),
  };
}

export const allow = (itemId: string): ItemVerdict => planFacts.verdict(itemId, 'allow');

/** A delivery of an event, with a lease that the spec can end. */
export function deliveryOf(event: StoredEvent, deliveries = 1, lease = new AbortController()): Delivery {
  return {
    stream: event.stream, sequence: event.sequence, deliveries, signal: lease.signal, leaseLeftMs: () => (lease.signal.aborted ? 0 : 10_000), working: () => undefined,
    message: { stream: event.stream, sequence: event.sequence, subject: '', data: new Uint8Array() },
  };
}

async function proposedOf(items: readonly SpecItem[], behaviours: Record<string, string>, change: (schema: ToolSchema) => ToolSchema, blobs: InMemoryBlobStore): Promise<PlanEvent> {
  const operations: Record<string, OperationSnapshot> = {};
  const providers: Record<string, Proposed['providers'][string]> = {};
  for (const [provider, behaviour] of Object.entries(behaviours)) {
    providers[provider] = { version: 1, digest: provider, endpoint: { transport: 'fake', behaviour } };
    for (const schema of fakeOperations(parseBehaviour(behaviour)).map(change)) {
      const { outputSchema } = schema;
      operations[`${provider}/${schema.name}`] = { ...snapshotOf(provider, schema), ...(outputSchema ? { outputSchema: await seal(outputSchema, { blobs, tenant: TENANT }) } : {}) };
    }
  }
  const proposed = await Promise.all(items.map(async ({ provider, operation, input }, index) => ({
    itemId: itemIdAt(index), callId: `c${index + 1}`, operation: `${provider}/${operation}`,
    input: await seal(input ?? { name: `n${index + 1}`, text: 't' }, { blobs, tenant: TENANT }),
  })));
  return planFacts.proposed([], { providers, operations, items: proposed });
}

function counted(provider: Provider, calls: string[], running: { now: number; most: number }): Provider {
  const note = (verb: string, call: ProviderCall): void => void calls.push(`${verb} ${call.operation.provider}/${call.operation.name} ${String(call.input['name'] ?? call.input['text'] ?? '')}`);
  return {
    describe: async () => await provider.describe(),
    preview: async (call) => await provider.preview(call),
    apply: async (call) => {
      note('apply', call);
      running.now += 1;
      running.most = Math.max(running.most, running.now);
      return await provider.apply(call).finally(() => { running.now -= 1; });
    },
    reconcile: async (call) => { note('reconcile', call); return await provider.reconcile(call); },
    close: async () => await provider.close(),
  };
}
