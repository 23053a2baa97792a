import type { ItemVerdict, PlanId } from '@countersign/contracts';
import { digestOf } from '@countersign/kernel';
import { currentInputOf, isPreviewable, type ItemState } from './item.js';

/** What is shown of a verdict beside the item itself. */
export type ShownVerdict = Pick<ItemVerdict, 'decision' | 'decidedBy' | 'message' | 'terms' | 'expiresAt'>;

/**
 * What an answer must name: everything the approver is shown of the item. The arguments as they stand now and the schema by
 * their digests, who changed the arguments, the preview by its tree's digest or the reason of its absence (`null` where none
 * is due), who asks, and all terms of the ask. Computed when the item is judged, from the fold as it stands before the verdict;
 * it stands in the verdict, and must not be computed anew to be compared.
 */
export function itemDigestOf(plan: PlanId, item: ItemState, { decision, decidedBy, message, terms, expiresAt }: ShownVerdict): string {
  return digestOf({
    plan,
    itemId: item.itemId,
    input: currentInputOf(item).digest,
    ...(item.corrections.length === 0 ? {} : {
      corrections: item.corrections.map(({ principal, input, reason }) => ({ principal, input: input.digest, reason })),
    }),
    schema: item.operation.schemaDigest,
    preview: previewDigestOf(item),
    verdict: { decision, decidedBy, message },
    terms: { ...terms, expiresAt },
  });
}

function previewDigestOf(item: ItemState): string | { absent: string } | null {
  if (!isPreviewable(item)) return null;
  if (!item.preview) return { absent: 'fanout_unavailable' };
  return 'absent' in item.preview ? { absent: item.preview.absent } : item.preview.tree.digest;
}
