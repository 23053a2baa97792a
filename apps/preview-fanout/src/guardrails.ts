import { sessionKey, type PlanEvent, type SessionEvent, type StoredEvent } from '@countersign/contracts';
import type { ItemState, PlanState } from '@countersign/domain-plan';
import type { SessionState } from '@countersign/domain-session';
import type { AggregateStore, BlobStore } from '@countersign/event-log';
import { guardrailDenies } from '@countersign/policy-engine';
import { inputFor, itemFactsOf, type PolicyView } from '@countersign/policy-view';

/**
 * The first layer of policy, looked at before a provider hears of an item (`SEMANTICS` § 2): what a guardrail denies keeps its
 * arguments from it. Policy judges the item all the same, and by the newest guardrails; this only spares the provider.
 */
export class Guardrails {
  constructor(
    private readonly view: PolicyView,
    private readonly sessions: AggregateStore<SessionState, SessionEvent>,
    private readonly blobs: BlobStore,
    private readonly now: () => Date,
  ) {}

  /**
   * Ids of those items that a guardrail denies. A proposal names the catalogue it was made on, which is new enough for it.
   * @throws GateError UNAVAILABLE, BLOB_MISSING of the guardrails: nothing is previewed then
   */
  async denied({ key, ...event }: StoredEvent<PlanEvent>, plan: PlanState, items: readonly ItemState[]): Promise<ReadonlySet<string>> {
    const policy = await this.view.of(key.tenant, event.type === 'plan.Proposed' ? event.data.saw.catalogue : undefined);
    const denied = new Set<string>();
    if (!policy.guardrails) return denied;
    const { state: session } = await this.sessions.get(sessionKey(key.tenant, key.session as string), plan.proposed?.saw.session);
    for (const item of items) {
      const input = await inputFor(item, policy, session, { blobs: this.blobs, tenant: key.tenant });
      const facts = itemFactsOf(item, { key, session, tenant: policy.tenant, now: this.now().toISOString(), input });
      if (guardrailDenies(policy.compiled, facts)) denied.add(item.itemId);
    }
    return denied;
  }
}
