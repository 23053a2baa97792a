import type { Json } from './json.js';

/**
 * A body that may be large and may one day be encrypted under its session's key: an input, a preview, a result,
 * a document. Nothing but `libs/event-log` (`seal`, `unseal`) looks inside, so that neither change touches its users.
 *
 * `digest` is the SHA-256 of the canonical JSON text, lower-case hex; it is also the blob's address.
 * Must not be compared by `value`: two seals are equal when their digests are.
 */
export interface Sealed<T = Json> {
  readonly digest: string;
  /** UTF-8 bytes of the canonical JSON text. */
  readonly bytes: number;
  /** Present when the body stands in the event itself; absent when it is a blob. */
  readonly value?: T;
  /** Where the blob lies when `value` is absent. */
  readonly store?: BlobStoreName;
}

/** BLOBS is kept with the log; RESULTS expires (a week by default), the digest stays. */
export type BlobStoreName = 'BLOBS' | 'RESULTS';
