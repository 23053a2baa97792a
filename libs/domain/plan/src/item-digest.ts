import type { PlanId } from '@countersign/contracts';
import { digestOf } from '@countersign/kernel';
import { isPreviewable, type ItemState } from './item.js';

/**
 * What an answer must name: everything the approver is shown of the item. Input and schema by their digests, the
 * preview by its tree's digest or the reason of its absence (`null` where none is due), and the terms of the ask.
 * Computed when the item is judged, from the fold as it stands before the verdict.
 */
export function itemDigestOf(plan: PlanId, item: ItemState, terms: { readonly expiresAt?: string }): string {
  return digestOf({
    plan,
    itemId: item.itemId,
    input: item.proposed.input.digest,
    schema: item.operation.schemaDigest,
    preview: previewDigestOf(item),
    terms: { expiresAt: terms.expiresAt },
  });
}

function previewDigestOf(item: ItemState): string | { absent: string } | null {
  if (!isPreviewable(item)) return null;
  if (!item.preview) return { absent: 'fanout_unavailable' };
  return 'absent' in item.preview ? { absent: item.preview.absent } : item.preview.tree.digest;
}
