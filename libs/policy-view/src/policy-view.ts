import { catalogueFilter, tenantFilter, type StoredEvent, type TenantId } from '@countersign/contracts';
import type { BlobStore, EventLog } from '@countersign/event-log';
import { CatalogueFold, JUDGING_AGGREGATES } from './catalogue-fold.js';
import { CompiledBundles } from './compiled-bundles.js';
import { tenantPolicyOf, type TenantPolicy } from './tenant-policy.js';

/** One tenant's fold in this process, moved on by one at a time. */
interface Held { fold: CatalogueFold; upTo: number; policy?: TenantPolicy; turn: Promise<unknown> }

/**
 * What each tenant's items are judged by, kept in the process and moved on by what is new. The leader is asked for the tenant's
 * last catalogue sequence each time; while it stands still, nothing is read or compiled. So whatever was acknowledged before (a
 * bundle, a grant, a revocation, a freeze) holds in what this returns.
 */
export class PolicyView {
  private readonly tenants = new Map<TenantId, Held>();
  private readonly bundles: CompiledBundles;

  constructor(private readonly log: EventLog, private readonly blobs: BlobStore, private readonly mostTenants = 1_000) {
    this.bundles = new CompiledBundles(blobs);
  }

  /**
   * @param atLeast a catalogue sequence that is new enough: then the leader is not asked when the process has that already
   * @throws GateError UNAVAILABLE, BLOB_MISSING, EVENT_UNREADABLE, POLICY_INVALID, POLICY_CONFLICT: what cannot be read judges nothing
   */
  async of(tenant: TenantId, atLeast?: number): Promise<TenantPolicy> {
    const known = this.tenants.get(tenant)?.policy;
    if (known && atLeast !== undefined && known.sequence >= atLeast) return known;
    const sequence = await this.log.lastSequence('CATALOG', tenantFilter(tenant));
    const held = this.held(tenant);
    const next = held.turn.then(() => this.moveOn(tenant, held, sequence));
    held.turn = next.catch(() => undefined);
    return await next;
  }

  /** As it was at a sequence of CATALOG. Reads the tenant's whole catalogue: to look at the past, never to judge. @throws GateError as `of` */
  async at(tenant: TenantId, sequence: number): Promise<TenantPolicy> {
    return await this.moveOn(tenant, newlyHeld(tenant), sequence);
  }

  private async moveOn(tenant: TenantId, held: Held, sequence: number): Promise<TenantPolicy> {
    if (held.policy && held.policy.sequence >= sequence) return held.policy;
    for (const event of await this.eventsBetween(tenant, held.upTo, sequence)) held.fold.apply(event);
    held.upTo = sequence;
    held.policy = await tenantPolicyOf(tenant, held.fold, sequence, { blobs: this.blobs, bundles: this.bundles });
    return held.policy;
  }

  /** Whole before any of it is applied: a read that fails half-way must not be folded twice. Exactly up to `sequence`, which verdicts name. */
  private async eventsBetween(tenant: TenantId, after: number, sequence: number): Promise<StoredEvent[]> {
    if (sequence <= after) return [];
    const parts = await Promise.all(JUDGING_AGGREGATES.map(async (aggregate) => {
      const events: StoredEvent[] = [];
      for await (const event of this.log.follow('CATALOG', catalogueFilter(tenant, aggregate), after)) {
        if (event.sequence > sequence) break;
        events.push(event);
      }
      return events;
    }));
    return parts.flat().sort((a, b) => a.sequence - b.sequence);
  }

  /** The tenant that was asked for longest ago goes first. */
  private held(tenant: TenantId): Held {
    const held = this.tenants.get(tenant) ?? newlyHeld(tenant);
    this.tenants.delete(tenant);
    this.tenants.set(tenant, held);
    if (this.tenants.size > this.mostTenants) this.tenants.delete(this.tenants.keys().next().value!);
    return held;
  }
}

const newlyHeld = (tenant: TenantId): Held => ({ fold: new CatalogueFold(tenant), upTo: 0, turn: Promise.resolve() });
