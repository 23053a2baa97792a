import { tenantKey, type TenantEvent, type TenantId } from '@countersign/contracts';
import type { TenantState } from '@countersign/domain-tenant';
import type { AggregateStore } from '@countersign/event-log';

/** A quarter of the time in which a freeze must hold (`LIMITS.freezeWithinMs`): the rest is for the start that it does not stop. */
const GOOD_FOR_MS = 250;
const TENANTS_KEPT = 1_000;

interface View { readonly state: TenantState; readonly askedAt: number }

/**
 * What a tenant has frozen. The leader is asked at most every quarter of a second, however many calls are started meanwhile:
 * a freeze holds within a second of its acknowledgement, not at once.
 */
export class TenantViews {
  private readonly views = new Map<TenantId, View>();
  private readonly asking = new Map<TenantId, Promise<View>>();

  constructor(
    private readonly store: Pick<AggregateStore<TenantState, TenantEvent>, 'fresh'>,
    /** A clock that never goes back, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** @throws GateError UNAVAILABLE: nothing may be started then */
  async of(tenant: TenantId): Promise<TenantState> {
    const known = this.views.get(tenant);
    if (known && this.now() - known.askedAt < GOOD_FOR_MS) return known.state;
    let asked = this.asking.get(tenant);
    if (!asked) this.asking.set(tenant, asked = this.ask(tenant).finally(() => this.asking.delete(tenant)));
    return (await asked).state;
  }

  private async ask(tenant: TenantId): Promise<View> {
    const askedAt = this.now();
    const view = { state: (await this.store.fresh(tenantKey(tenant))).state, askedAt };
    this.views.delete(tenant);
    this.views.set(tenant, view);
    if (this.views.size > TENANTS_KEPT) this.views.delete(this.views.keys().next().value!);
    return view;
  }
}
