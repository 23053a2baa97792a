import {
  planKey, providerKey, sessionKey, tenantKey, type AggregateKey, type AnyEvent, type CommandContext, type PlanEvent, type PreviewResult, type Proposed, type SessionEvent, type SessionOpened, type StoredEvent, type TenantEvent,
} from '@countersign/contracts';
import { InMemoryBlobStore, InMemoryBroker, InMemoryEventLog, type Loaded, type Position } from '@countersign/event-log';
import { planFacts } from '@countersign/testkit';
import type { Delivery } from '@countersign/transport-jetstream';
import { policyServices } from '../policy-services.js';
import type { VetoCall, VetoCaller } from '../vetoes/veto-caller.js';

export const { PLAN_ID, at, T0 } = planFacts;
const SESSION = PLAN_ID.slice(0, PLAN_ID.indexOf('-p'));
const PLAN = planKey('acme', PLAN_ID);
const META = { actor: 'service:planner', correlationId: 'r1' };

/** Counts what is read of the log. */
class CountingLog extends InMemoryEventLog {
  loads = 0;
  override load<E extends AnyEvent>(key: AggregateKey, after?: Position): Promise<Loaded<E>> {
    this.loads += 1;
    return super.load<E>(key, after);
  }
}

/** A message whose lease holds. */
export const DELIVERY: Pick<Delivery, 'signal' | 'working'> = { signal: new AbortController().signal, working: () => {} };

const quiet = { info: () => {}, warn: () => {}, error: () => {} };

/** Policy as it runs, over a log in memory and a clock that the test sets. */
export function policyInMemory() {
  const broker = new InMemoryBroker();
  const clock = { now: new Date(T0) };
  const warnings: object[] = [];
  const log = new CountingLog('policy', broker, () => clock.now);
  const blobs = new InMemoryBlobStore();
  const vetoCalls: VetoCall[] = [];
  const subscribers: { answer: VetoCaller } = { answer: async ({ subscriber, request }) => request.items.map(({ itemId }) => ({ subscriber: subscriber.name, itemId, says: 'pass' as const, tookMs: 1 })) };
  const infra = { blobs, now: () => clock.now, callVeto: ((call) => { vetoCalls.push(call); return subscribers.answer(call); }) as VetoCaller };
  const services = policyServices({ ...infra, log, logger: { ...quiet, warn: (fields) => { warnings.push(fields); } } });
  const planner = new InMemoryEventLog('planner', broker);
  const fanout = new InMemoryEventLog('preview-fanout', broker);
  const append = async (by: InMemoryEventLog, event: PlanEvent): Promise<StoredEvent<PlanEvent>> => {
    await by.append(PLAN, await by.end(PLAN), { ...event, meta: META });
    return broker.all('GATE').at(-1) as StoredEvent<PlanEvent>;
  };
  const catalogue = async (key: AggregateKey, event: AnyEvent): Promise<void> => {
    await planner.append(key, await planner.end(key), { ...event, meta: META });
  };
  const context: CommandContext = { tenant: 'acme', principal: 'ops', correlationId: 'r1' };

  return {
    ...services, broker, clock, warnings, log, blobs, context, vetoCalls, subscribers, planner,
    /** A second process of the same service, on the same log. */
    another: () => policyServices({ ...infra, log: new InMemoryEventLog('policy', broker), logger: quiet }),
    setSeconds: (seconds: number) => { clock.now = new Date(at(seconds)); },
    async openSession(more: Partial<SessionOpened> = {}) {
      const data = { agent: 'coder', profile: 'default', kind: 'chat' as const, openedBy: 'agent', requestDigest: 'x', at: T0, ...more };
      await planner.append(sessionKey('acme', SESSION), { rev: 0, sequence: 0 }, { type: 'session.Opened', data, meta: META });
    },
    /** Any fact of the session. */
    session: (event: SessionEvent) => catalogue(sessionKey('acme', SESSION), event),
    /** The tenant's own facts; it is registered first. */
    async tenant(...events: readonly TenantEvent[]) {
      const registered: TenantEvent = { type: 'tenant.Registered', data: { name: 'Acme', localProcesses: true, keys: [], at: T0 } };
      if ((await planner.end(tenantKey('acme'))).rev === 0) await catalogue(tenantKey('acme'), registered);
      for (const event of events) await catalogue(tenantKey('acme'), event);
    },
    plan: (event: PlanEvent) => append(planner, event),
    asked: (event: StoredEvent<PlanEvent>) => services.evaluation.asked(event, DELIVERY),
    previewed: (event: StoredEvent<PlanEvent>) => services.evaluation.previewed(event, DELIVERY),
    async endSession() {
      const key = sessionKey('acme', SESSION);
      await planner.append(key, await planner.end(key), { type: 'session.Ended', data: { by: 'ops', reason: 'done', at: T0 }, meta: META });
    },
    /** Any event of the tenant's catalogue. */
    async touchCatalogue() {
      const key = providerKey('acme', 'files');
      await planner.append(key, await planner.end(key), { type: 'provider.Removed', data: { by: 'ops', at: T0 }, meta: META });
    },
    propose: (names: readonly string[], change: Partial<Proposed> = {}) => append(planner, planFacts.proposed(names, change)),
    preview: (...previews: readonly PreviewResult[]) => append(fanout, planFacts.previewed(...previews)),
    close: () => append(planner, planFacts.closed('policy_unavailable')),
    activate: (rules: readonly object[]) => services.bundles.activate({ context, layer: 'rules', bundle: { rules }, at: clock.now.toISOString() }),
    events: () => (broker.all('GATE') as StoredEvent<PlanEvent>[]).filter((event) => event.key.aggregate === 'plan'),
    verdicts: () => (broker.all('GATE') as StoredEvent<PlanEvent>[]).flatMap((event) => (event.type === 'plan.Evaluated' ? event.data.items : []))
      .map(({ itemId, decision, decidedBy, ...more }) => [itemId, decision, decidedBy, ...(more.downgraded ? ['downgraded'] : [])].join(' ')),
  };
}
