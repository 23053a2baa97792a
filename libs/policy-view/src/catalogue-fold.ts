import { policyKey, type AnyEvent, type GrantEvent, type PolicyEvent, type StoredEvent, type TenantEvent, type TenantId } from '@countersign/contracts';
import { grantFold, type GrantState } from '@countersign/domain-grant';
import { policyFold, type PolicyState } from '@countersign/domain-policy-bundle';
import { tenantFold, type TenantState } from '@countersign/domain-tenant';

/** Aggregates of a tenant's catalogue that say how its items are judged. Providers do not: a plan holds its own snapshot. */
export const JUDGING_AGGREGATES = ['policy', 'tenant', 'grant'] as const;

/** A tenant's catalogue up to one sequence. Changes in place: it is large, and one view owns it. */
export class CatalogueFold {
  rules: PolicyState = policyFold.initial;
  guardrails: PolicyState = policyFold.initial;
  tenant: TenantState = tenantFold.initial;
  /** By grant id. */
  readonly grants = new Map<string, GrantState>();

  constructor(private readonly tenantId: TenantId) {}

  apply(event: StoredEvent): void {
    switch (event.key.aggregate) {
      case 'policy':
        return this.applyPolicy(event);
      case 'tenant':
        this.tenant = tenantFold.evolve(this.tenant, as<TenantEvent>(event));
        return;
      case 'grant':
        this.grants.set(event.key.id, grantFold.evolve(this.grants.get(event.key.id) ?? grantFold.initial, as<GrantEvent>(event)));
        return;
      default:
    }
  }

  private applyPolicy(event: StoredEvent): void {
    if (event.key.id === policyKey(this.tenantId, 'guardrails').id) this.guardrails = policyFold.evolve(this.guardrails, as<PolicyEvent>(event));
    else this.rules = policyFold.evolve(this.rules, as<PolicyEvent>(event));
  }
}

/** An aggregate's subject holds its own kind of events only; the log refuses others. */
const as = <E extends AnyEvent>(event: StoredEvent): E => event as unknown as E;
