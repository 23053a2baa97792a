import type { AggregateKey, AnyEvent, PlanEvent, ProviderEvent, SessionEvent, TenantEvent } from '@countersign/contracts';
import { planFold, type PlanState } from '@countersign/domain-plan';
import { providerFold, type ProviderState } from '@countersign/domain-provider';
import { sessionFold, type SessionState } from '@countersign/domain-session';
import { tenantFold, type TenantState } from '@countersign/domain-tenant';
import { createAggregateStore, type AggregateStore, type EventLog, type Folded } from '@countersign/event-log';

/** An aggregate store without its pen: the edge appends nothing. */
export type ReadOnlyStore<State, Event extends AnyEvent> = Omit<AggregateStore<State, Event>, 'transact'>;

/** Every kind of aggregate that the edge shows, folded from the log; one store a kind in the process. */
export class Aggregates {
  readonly plans: ReadOnlyStore<PlanState, PlanEvent>;
  readonly sessions: ReadOnlyStore<SessionState, SessionEvent>;
  readonly tenants: ReadOnlyStore<TenantState, TenantEvent>;
  readonly providers: ReadOnlyStore<ProviderState, ProviderEvent>;

  constructor(log: EventLog) {
    this.plans = createAggregateStore(log, planFold);
    this.sessions = createAggregateStore(log, sessionFold);
    this.tenants = createAggregateStore(log, tenantFold);
    this.providers = createAggregateStore(log, providerFold);
  }
}

/** Only for what stays true once it is (`isThere`). A plain read may lag, so "there is none" is asked of the leader before it is said. */
export async function found<State>(
  store: Pick<ReadOnlyStore<State, never>, 'known' | 'get' | 'fresh'>, key: AggregateKey, isThere: (state: State) => boolean, atLeast?: number,
): Promise<Folded<State> | undefined> {
  const known = store.known(key);
  if (known && isThere(known.state) && known.position.sequence >= (atLeast ?? Infinity)) return known;
  const read = await store.get(key, atLeast);
  if (isThere(read.state)) return read;
  const confirmed = await store.fresh(key);
  return isThere(confirmed.state) ? confirmed : undefined;
}
