import type { EventMeta, PlanEvent, PreviewResult, RenderTree, Sealed, AggregateKey } from '@countersign/contracts';
import { recordPreviews, type PlanState } from '@countersign/domain-plan';
import { sealAll, type AggregateStore, type BlobStore } from '@countersign/event-log';
import { faultPoint } from '@countersign/fault-points';
import type { ItemPreview } from './preview-item.js';

export interface GroupTarget {
  readonly key: AggregateKey;
  readonly meta: EventMeta;
  readonly atLeast: number;
  readonly plans: AggregateStore<PlanState, PlanEvent>;
  readonly blobs: BlobStore;
}

/** Seals the trees of one group together and appends them as one event; trees are stored as the provider gave them. */
export async function recordGroup(group: readonly ItemPreview[], target: GroupTarget): Promise<void> {
  const previews = await sealed(group, target);
  await faultPoint('preview-fanout.before-append');
  await target.plans.transact(target.key, ({ state }) => recordPreviews(state, { previews }), { meta: target.meta, atLeast: target.atLeast });
}

async function sealed(group: readonly ItemPreview[], { blobs, key }: GroupTarget): Promise<PreviewResult[]> {
  const shown = group.filter((preview) => 'tree' in preview);
  const trees = await sealAll(shown.map((preview) => preview.tree), { blobs, tenant: key.tenant });
  const treeOf = new Map<string, Sealed<RenderTree>>(shown.map((preview, index) => [preview.itemId, trees[index]!]));
  return group.map((preview) => ('tree' in preview ? { ...preview, tree: treeOf.get(preview.itemId)! } : preview));
}
