import { LIMITS, type Json, type Sealed } from '@countersign/contracts';
import type { BodyAbsence } from '@countersign/contracts/http';
import { unseal, type BlobStore } from '@countersign/event-log';
import { isGateError } from '@countersign/kernel';
import { currentInputOf, previewOf, type ItemState } from '@countersign/domain-plan';

/** A body to be shown, or why it is not. */
export type Body = { readonly value: Json } | { readonly absent: BodyAbsence };
/** By digest. */
export type Bodies = ReadonlyMap<string, Body>;

export interface BodyRules {
  /** Leave out what will not be kept, so that the same view is the same for ever. */
  readonly onlyKept: boolean;
  /** Bytes of all bodies together; undefined for one item's own view. */
  readonly limitBytes?: number;
}

/** Everything the state names has been collected; a body that has not is a fault of ours, and is never shown as empty. */
export function bodyOf(bodies: Bodies, digest: string): Body {
  const body = bodies.get(digest);
  if (!body) throw new Error(`the body ${digest} was not collected`);
  return body;
}

const FETCHES_AT_ONCE = 8;

/**
 * Every body of the items, in plan order, as far as the rules let it into a view.
 * @throws GateError BLOB_MISSING when a body that must be kept is not there
 */
export async function bodiesOf(items: Iterable<ItemState>, where: { blobs: BlobStore; tenant: string }, rules: BodyRules): Promise<Bodies> {
  const bodies = new Map<string, Body>();
  const toFetch: Sealed[] = [];
  let bytes = 0;
  for (const sealed of sealedOf(items)) {
    const known = bodies.get(sealed.digest);
    if (known && 'value' in known) continue;
    bytes += sealed.bytes;
    const absent = absenceOf(sealed, bytes, rules);
    bodies.set(sealed.digest, absent ? { absent } : { value: sealed.value ?? null });
    if (!absent && sealed.value === undefined) toFetch.push(sealed);
  }
  await fetchAll(toFetch, where, bodies);
  return bodies;
}

function* sealedOf(items: Iterable<ItemState>): Generator<Sealed> {
  for (const item of items) {
    yield currentInputOf(item) as Sealed;
    const preview = previewOf(item);
    if (preview && 'tree' in preview) yield preview.tree as unknown as Sealed;
    if (item.outcome?.result) yield item.outcome.result;
    if (item.corrections.length > 0) yield item.proposed.input as Sealed;
    for (const { input } of item.corrections.slice(0, -1)) yield input as Sealed;
  }
}

function absenceOf(sealed: Sealed, bytesSoFar: number, rules: BodyRules): BodyAbsence | undefined {
  if (rules.onlyKept && sealed.value === undefined && sealed.store === 'RESULTS') return 'may_expire';
  if (rules.limitBytes !== undefined && bytesSoFar > rules.limitBytes) return 'view_limit';
  return undefined;
}

async function fetchAll(sealed: readonly Sealed[], where: { blobs: BlobStore; tenant: string }, into: Map<string, Body>): Promise<void> {
  const queue = [...sealed];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) into.set(next.digest, await fetch(next, where));
  };
  await Promise.all(Array.from({ length: Math.min(FETCHES_AT_ONCE, queue.length) }, worker));
}

async function fetch(sealed: Sealed, where: { blobs: BlobStore; tenant: string }): Promise<Body> {
  try {
    return { value: await unseal(sealed, where) };
  } catch (error) {
    if (sealed.store === 'RESULTS' && isGateError(error, 'BLOB_MISSING')) return { absent: 'expired' };
    throw error;
  }
}

export const WHOLE_PLAN: BodyRules = { onlyKept: false, limitBytes: LIMITS.viewBytes };
export const WHOLE_PLAN_FOR_EVER: BodyRules = { onlyKept: true, limitBytes: LIMITS.viewBytes };
export const ONE_ITEM: BodyRules = { onlyKept: false };
