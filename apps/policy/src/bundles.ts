import {
  LIMITS, policyKey, tenantFilter, type Accepted, type ActivateBundle, type Command, type PolicyEvent, type TenantId,
} from '@countersign/contracts';
import { activateBundle, bundleInForce, type PolicyState } from '@countersign/domain-policy-bundle';
import type { AggregateStore, EventLog } from '@countersign/event-log';
import { GateError, canonicalJson } from '@countersign/kernel';
import { compileBundle, type CompiledBundle } from '@countersign/policy-engine';

/** What a tenant's items are judged by, and the catalogue sequence at which it was in force. */
export interface BundleView {
  readonly version: number;
  readonly digest: string;
  readonly compiled: CompiledBundle;
  /** Of the tenant's last event in CATALOG. */
  readonly sequence: number;
}

/** The activation's own members beside the bundle. */
const REST_OF_EVENT_BYTES = 1_024;

/**
 * A tenant's bundle as it is now. The leader is asked for the tenant's last catalogue sequence each time; while it stands
 * still, nothing is read or compiled. So a bundle that was acknowledged before a propose judges it.
 */
export class Bundles {
  private readonly tenants = new Map<TenantId, BundleView>();

  constructor(
    private readonly log: EventLog,
    private readonly store: AggregateStore<PolicyState, PolicyEvent>,
    private readonly mostTenants = 1_000,
  ) {}

  async inForce(tenant: TenantId): Promise<BundleView> {
    const sequence = await this.log.lastSequence('CATALOG', tenantFilter(tenant));
    const known = this.tenants.get(tenant);
    if (known && known.sequence >= sequence) return known;
    const { version, digest, bundle } = bundleInForce((await this.store.fresh(policyKey(tenant))).state);
    const view = { version, digest, sequence, compiled: known?.digest === digest ? known.compiled : compileBundle(bundle) };
    return this.keep(tenant, view);
  }

  /** Of two that were read at the same time the later one stays. */
  private keep(tenant: TenantId, view: BundleView): BundleView {
    const known = this.tenants.get(tenant);
    if (known && known.sequence > view.sequence) return known;
    this.tenants.delete(tenant);
    this.tenants.set(tenant, view);
    if (this.tenants.size > this.mostTenants) this.tenants.delete(this.tenants.keys().next().value!);
    return view;
  }

  /**
   * Checks the bundle whole and puts it in force in one step; refused, the standing one stays.
   * @throws GateError POLICY_INVALID, POLICY_CONFLICT
   */
  async activate({ context, bundle: candidate, at }: Command<ActivateBundle>): Promise<Accepted & { readonly warnings: readonly string[] }> {
    const { bundle, warnings } = compileBundle(candidate);
    const bytes = Buffer.byteLength(canonicalJson(bundle));
    if (bytes > LIMITS.eventBytes - REST_OF_EVENT_BYTES) {
      throw new GateError('POLICY_INVALID', `The bundle has ${bytes} bytes; at most ${LIMITS.eventBytes - REST_OF_EVENT_BYTES} can be activated`, { path: '' });
    }
    const { reply, position } = await this.store.transact(
      policyKey(context.tenant),
      ({ state }) => activateBundle(state, { bundle, by: context.principal, at }),
      { meta: { actor: `person:${context.principal}`, correlationId: context.correlationId, ...(context.traceparent === undefined ? {} : { traceparent: context.traceparent }) } },
    );
    return { sequence: position.sequence, version: reply.version, ...(reply.repeated ? { repeated: true as const } : {}), warnings };
  }
}
