import { tenantKey, type TenantEvent, type TenantId, type Webhook } from '@countersign/contracts';
import { mayStartProcesses, tenantFold, type TenantState } from '@countersign/domain-tenant';
import { createAggregateStore, type AggregateStore, type EventLog } from '@countersign/event-log';

export interface TenantWebhooks {
  readonly webhooks: ReadonlyMap<string, Webhook>;
  /** Whether this machine's own addresses may be called for it. */
  readonly allowLoopback: boolean;
}

/**
 * The webhooks of a tenant as the log's leader has them at the moment of asking: whoever is told that a webhook is
 * registered is told of everything that happens from then on. All who ask at a time share one read, and a fold is made again
 * only when the tenant has changed.
 */
export class Webhooks {
  private readonly store: AggregateStore<TenantState, TenantEvent>;

  constructor(log: EventLog) {
    this.store = createAggregateStore(log, tenantFold);
  }

  /** @throws GateError UNAVAILABLE */
  async of(tenant: TenantId): Promise<TenantWebhooks> {
    const { state } = await this.store.fresh(tenantKey(tenant));
    return { webhooks: state.webhooks, allowLoopback: mayStartProcesses(state) };
  }
}
