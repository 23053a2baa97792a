import {
  planKey, sessionKey, type AggregateKey, type Command, type Evaluated, type Explain, type Explained, type PlanEvent, type SessionEvent,
  type StoredEvent,
} from '@countersign/contracts';
import { planFold, type ItemState, type PlanState } from '@countersign/domain-plan';
import { sessionFold, type SessionState } from '@countersign/domain-session';
import type { BlobStore, EventLog } from '@countersign/event-log';
import { GateError, foldOf } from '@countersign/kernel';
import { explain } from '@countersign/policy-engine';
import { inputOrNone, itemFactsOf, type PolicyView, type TenantPolicy } from '@countersign/policy-view';

/** The item, and what its newest verdict was given by; without one, what it would be judged by now. */
interface Basis { readonly item: ItemState; readonly policy: TenantPolicy; readonly session: SessionState; readonly now: string; readonly vetoes?: Evaluated['vetoes'] }

/** Why an item was judged as it was, by what its evaluator saw: the rules, grants, session and answers of that moment, read from the log. */
export class Explaining {
  constructor(private readonly log: EventLog, private readonly blobs: BlobStore, private readonly view: PolicyView, private readonly now: () => Date) {}

  /** @throws GateError NOT_FOUND, UNAVAILABLE, BLOB_MISSING */
  async explain({ context, planId, itemId }: Command<Explain>): Promise<Explained> {
    const { tenant } = context;
    const key = planKey(tenant, planId);
    const { events } = await this.log.load<PlanEvent>(key);
    const { item, policy, session, now, vetoes } = await this.basisOf(key, events, itemId);
    const input = await inputOrNone(item, { blobs: this.blobs, tenant });
    const facts = itemFactsOf(item, { key, session, tenant: policy.tenant, now, input, ...(vetoes ? { vetoes: vetoes.filter((answer) => answer.itemId === itemId) } : {}) });
    return { ...explain(policy.compiled, facts), bundle: policy.rules, ...(policy.guardrails ? { guardrails: policy.guardrails } : {}) };
  }

  private async basisOf(key: AggregateKey, events: readonly StoredEvent<PlanEvent>[], itemId: string): Promise<Basis> {
    const item = foldOf<PlanState, PlanEvent>(planFold, events).items.get(itemId);
    if (!item) throw new GateError('NOT_FOUND', 'There is no such item', { planId: key.id, itemId });
    const evaluated = evaluatedIn(events, item);
    if (!evaluated) return { item, policy: await this.view.of(key.tenant), session: await this.sessionAt(key), now: this.now().toISOString() };
    const { saw, evaluatedAt, vetoes } = evaluated;
    const [policy, session] = await Promise.all([this.view.at(key.tenant, saw.catalogue), this.sessionAt(key, saw.session)]);
    return { item, policy, session, now: evaluatedAt, ...(vetoes ? { vetoes } : {}) };
  }

  private async sessionAt({ tenant, session }: AggregateKey, sequence = Infinity): Promise<SessionState> {
    const { events } = await this.log.load<SessionEvent>(sessionKey(tenant, session as string));
    return foldOf<SessionState, SessionEvent>(sessionFold, events.filter((event) => event.sequence <= sequence));
  }
}

/** Of the arguments as they stand now. */
function evaluatedIn(events: readonly StoredEvent<PlanEvent>[], item: ItemState): Evaluated | undefined {
  if (!item.verdict) return undefined;
  const found = events.findLast((event) => event.type === 'plan.Evaluated' && event.data.items.some(({ itemId }) => itemId === item.itemId));
  return found?.type === 'plan.Evaluated' ? found.data : undefined;
}
