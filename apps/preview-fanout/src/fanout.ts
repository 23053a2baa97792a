import { setMaxListeners } from 'node:events';
import { LIMITS, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import { itemsToPreview, type PlanState } from '@countersign/domain-plan';
import { causedBy, type AggregateStore, type BlobStore } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { inGroups, type ProviderRegistry } from '@countersign/providers';
import type { Delivery } from '@countersign/transport-jetstream';
import type { Guardrails } from './guardrails.js';
import { previewItem, withheldPreview, type PreviewContext } from './preview-item.js';
import { recordGroup, type GroupTarget } from './record-group.js';

/** Items of one event: each takes about 250 bytes beside its tree, and an event has 256 KiB. */
const GROUP_ITEMS = 256;

/**
 * Previews what a plan still lacks (a plan that never needed any costs no read): all previewable items beside each other, each within its own deadline. A redelivery
 * finds in the fold what is there already; what was judged or closed meanwhile is left out.
 */
export class Fanout {
  constructor(
    private readonly plans: AggregateStore<PlanState, PlanEvent>,
    private readonly blobs: BlobStore,
    private readonly registry: ProviderRegistry,
    private readonly guardrails: Pick<Guardrails, 'denied'>,
    private readonly timeoutMs: number = LIMITS.previewTimeoutMs,
  ) {}

  async previewPlan(event: StoredEvent<PlanEvent>, delivery: Delivery): Promise<void> {
    this.plans.observe(event);
    const proposed = await this.plans.get(event.key, event.sequence);
    if (itemsToPreview(proposed.state).length === 0) return;
    const { state } = await this.plans.get(event.key);
    const items = itemsToPreview(state);
    if (items.length === 0 || !state.proposed) return;
    delivery.working();
    const denied = await this.guardrails.denied(event, state, items);
    setMaxListeners(0, delivery.signal); // every preview of the plan listens to it
    const context: PreviewContext = {
      tenant: event.key.tenant, session: event.key.session, proposed: state.proposed, blobs: this.blobs, registry: this.registry,
      timeoutMs: this.timeoutMs, signal: delivery.signal,
    };
    const target: GroupTarget = { key: event.key, meta: causedBy(event, 'preview-fanout'), atLeast: event.sequence, plans: this.plans, blobs: this.blobs };
    await inGroups(
      items.map((item) => async () => (denied.has(item.itemId) ? withheldPreview(item) : await previewItem(item, context))),
      { concurrency: LIMITS.providerConcurrency, windowMs: LIMITS.previewGroupMs, maxItems: GROUP_ITEMS },
      async (group) => {
        // whoever has the message now previews anew; a cancelled preview must not be recorded as a failed one
        if (delivery.signal.aborted) throw new GateError('UNAVAILABLE', 'The lease on the message is over');
        await recordGroup(group, target);
      },
    );
  }
}
