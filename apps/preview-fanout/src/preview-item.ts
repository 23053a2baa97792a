import { LIMITS, type PreviewAbsence, type Proposed, type RenderTree } from '@countersign/contracts';
import { currentInputOf, type ItemState } from '@countersign/domain-plan';
import { unseal, type BlobStore } from '@countersign/event-log';
import { isGateError } from '@countersign/kernel';
import { deadlineIn, isTimeout, type PreviewAnswer, type ProviderRegistry } from '@countersign/providers';

export interface PreviewContext {
  readonly tenant: string;
  readonly session: string;
  readonly proposed: Proposed;
  readonly blobs: BlobStore;
  readonly registry: ProviderRegistry;
  /** Default `LIMITS.previewTimeoutMs`. */
  readonly timeoutMs?: number;
  /** Aborted when this process has lost the message. */
  readonly signal: AbortSignal;
}

export type ItemPreview = { readonly itemId: string; readonly correction?: number; readonly tookMs: number } & (
  | { readonly tree: RenderTree; readonly fingerprint?: string }
  | { readonly absent: PreviewAbsence }
);

/**
 * Asks the provider, within the item's own deadline. Whatever goes wrong becomes an absence with its reason.
 * @throws GateError UNAVAILABLE when the stored input cannot be read for now: the message comes again
 */
export async function previewItem(item: ItemState, context: PreviewContext): Promise<ItemPreview> {
  const started = performance.now();
  const deadline = deadlineIn(context.timeoutMs ?? LIMITS.previewTimeoutMs, context.signal);
  const answer = await ask(item, context, deadline.signal).finally(deadline.end);
  const correction = item.corrections.length;
  const took = { itemId: item.itemId, ...(correction === 0 ? {} : { correction }), tookMs: Math.round(performance.now() - started) };
  if ('absent' in answer) return { ...took, absent: answer.absent };
  return { ...took, tree: answer.tree, ...(answer.fingerprint === undefined ? {} : { fingerprint: answer.fingerprint }) };
}

/** Of an item that a guardrail denies: its provider hears nothing of it. */
export const withheldPreview = ({ itemId, corrections }: ItemState): ItemPreview =>
  ({ itemId, ...(corrections.length === 0 ? {} : { correction: corrections.length }), absent: 'guardrail', tookMs: 0 });

async function ask(item: ItemState, context: PreviewContext, signal: AbortSignal): Promise<PreviewAnswer> {
  const { tenant, session, proposed, blobs, registry } = context;
  const endpoint = proposed.providers[item.operation.provider]?.endpoint;
  if (!endpoint) return { absent: 'failed' };
  try {
    const input = await unseal(currentInputOf(item), { blobs, tenant });
    return await registry.connect(tenant, endpoint).preview({ tenant, session, operation: item.operation, input, signal });
  } catch (error) {
    if (!isGateError(error) || isGateError(error, 'UNAVAILABLE')) throw error;
    return { absent: isTimeout(signal) ? 'timeout' : 'failed' };
  }
}
