import type { ItemId, PlanEvent, PreviewResult } from '@countersign/contracts';
import type { Decision } from '@countersign/kernel';
import { isPending, isPreviewable } from '../item.js';
import { isOfCurrentInput, type PlanState } from '../state.js';

export interface RecordPreviews { readonly previews: readonly PreviewResult[] }
export interface PreviewsRecorded { readonly recorded: readonly ItemId[] }

/**
 * Keeps the previews of items that still wait for one. What came late (judged, closed), twice, or of arguments that were
 * corrected since, and what was never to be previewed, is left out: the approver's view is the one that was judged.
 */
export function recordPreviews(plan: PlanState, { previews }: RecordPreviews): Decision<PlanEvent, PreviewsRecorded> {
  const seen = new Set<ItemId>();
  const items = previews.filter((preview) => {
    const { itemId } = preview;
    const item = plan.items.get(itemId);
    const wanted = item !== undefined && isPending(item) && isPreviewable(item) && !item.preview && isOfCurrentInput(item, preview) && !seen.has(itemId);
    seen.add(itemId);
    return wanted;
  });
  const reply = { recorded: items.map(({ itemId }) => itemId) };
  return items.length === 0 ? { reply } : { event: { type: 'plan.Previewed', data: { items } }, reply };
}
