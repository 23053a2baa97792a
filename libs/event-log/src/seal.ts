import { LIMITS, type BlobStoreName, type Json, type Sealed } from '@countersign/contracts';
import { GateError, canonicalJson, sha256 } from '@countersign/kernel';
import type { BlobStore } from './event-log.js';

interface Body { readonly text: string; readonly digest: string; readonly bytes: number; readonly value: unknown }

/**
 * Seals the bodies of one event together. Each above 16 KiB becomes a blob, and so do the largest of the rest until
 * what stays inline fits one event. Blobs are durable when this returns.
 * @throws GateError BODY_TOO_LARGE when one body is above `LIMITS.blobBytes`
 */
export async function sealAll<T>(values: readonly T[], where: { blobs: BlobStore; tenant: string; store?: BlobStoreName }): Promise<Sealed<T>[]> {
  const store = where.store ?? 'BLOBS';
  const bodies = values.map(bodyOf);
  const outside = bodiesToStore(bodies);
  const written = new Set<string>();
  await Promise.all(bodies.map(async (body) => {
    if (!outside.has(body) || written.has(body.digest)) return;
    written.add(body.digest);
    await where.blobs.put(store, where.tenant, body.digest, Buffer.from(body.text, 'utf8'));
  }));
  return bodies.map((body) => (outside.has(body)
    ? { digest: body.digest, bytes: body.bytes, store }
    : { digest: body.digest, bytes: body.bytes, value: body.value as T }));
}

export const seal = async <T>(value: T, where: { blobs: BlobStore; tenant: string; store?: BlobStoreName }): Promise<Sealed<T>> =>
  (await sealAll([value], where))[0]!;

/** The body, from the event or from its blob; the digest has been checked. @throws GateError BLOB_MISSING */
export async function unseal<T = Json>(sealed: Sealed<T>, where: { blobs: BlobStore; tenant: string }): Promise<T> {
  if (sealed.value !== undefined) return sealed.value;
  const bytes = await where.blobs.get(sealed.store ?? 'BLOBS', where.tenant, sealed.digest);
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as T;
}

function bodyOf(value: unknown): Body {
  const text = canonicalJson(value);
  const bytes = Buffer.byteLength(text, 'utf8');
  if (bytes > LIMITS.blobBytes) throw new GateError('BODY_TOO_LARGE', `A body of ${bytes} bytes is above the limit of ${LIMITS.blobBytes}`);
  return { text, digest: sha256(text), bytes, value };
}

function bodiesToStore(bodies: readonly Body[]): Set<Body> {
  const outside = new Set(bodies.filter((body) => body.bytes > LIMITS.inlineBodyBytes));
  const inline = bodies.filter((body) => !outside.has(body)).sort((a, b) => a.bytes - b.bytes);
  let total = inline.reduce((sum, body) => sum + body.bytes, 0);
  while (total > LIMITS.inlineBodiesPerEventBytes) {
    const largest = inline.pop()!;
    outside.add(largest);
    total -= largest.bytes;
  }
  return outside;
}
