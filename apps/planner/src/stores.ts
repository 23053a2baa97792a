import type { PlanEvent, ProviderEvent, SessionEvent, TenantEvent } from '@countersign/contracts';
import { planFold, type PlanState } from '@countersign/domain-plan';
import { providerFold, type ProviderState } from '@countersign/domain-provider';
import { sessionFold, type SessionState } from '@countersign/domain-session';
import { tenantFold, type TenantState } from '@countersign/domain-tenant';
import { createAggregateStore, type AggregateStore, type EventLog } from '@countersign/event-log';

/** The folds of everything planner writes, one store a kind in the process. */
export interface PlannerStores {
  readonly plans: AggregateStore<PlanState, PlanEvent>;
  readonly sessions: AggregateStore<SessionState, SessionEvent>;
  readonly tenants: AggregateStore<TenantState, TenantEvent>;
  readonly providers: AggregateStore<ProviderState, ProviderEvent>;
}

export const createStores = (log: EventLog): PlannerStores => ({
  plans: createAggregateStore(log, planFold),
  sessions: createAggregateStore(log, sessionFold),
  tenants: createAggregateStore(log, tenantFold),
  providers: createAggregateStore(log, providerFold),
});
