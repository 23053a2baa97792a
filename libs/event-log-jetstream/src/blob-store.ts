import { LIMITS, blobSubject, type BlobStoreName, type TenantId } from '@countersign/contracts';
import { GateError, isGateError, sha256 } from '@countersign/kernel';
import type { BlobStore } from '@countersign/event-log';
import { pause, serverHeader, unavailable, type BrokerAccess } from './broker-connection.js';
import { TooManyResults, readAllLast } from './direct-reads.js';
import { headersOf } from './header-block.js';
import { publish } from './publish.js';

export interface JetStreamBlobStoreOptions extends BrokerAccess {
  /** Wait for one answer. Default 1,500 ms. */
  readonly answerMs?: number;
  /** Wait in all until UNAVAILABLE. Default 8,000 ms. */
  readonly withinMs?: number;
  /** Bytes of one part. Must not change while blobs exist; tests make it small. */
  readonly partBytes?: number;
}

/** The stream refuses a second message of a subject: what is wanted is there. */
const MAXIMUM_PER_SUBJECT = 10077;
const BETWEEN_TRIES_MS = 20;
/** A read on another replica may be behind a write: so often it is repeated before a blob counts as missing. */
const READS = 5;
const KNOWN_BLOBS = 10_000;
const PART = /^[0-9]+$/;

/** Blobs as plain messages, `LIMITS.blobPartBytes` each, written once and never again. */
export class JetStreamBlobStore implements BlobStore {
  private readonly answerMs: number;
  private readonly withinMs: number;
  private readonly partBytes: number;
  /** Written or checked by this process; of BLOBS only, since results expire. */
  private readonly known = new Set<string>();

  constructor(private readonly options: JetStreamBlobStoreOptions) {
    this.answerMs = options.answerMs ?? 1_500;
    this.withinMs = options.withinMs ?? 8_000;
    this.partBytes = options.partBytes ?? LIMITS.blobPartBytes;
  }

  /** Durable when this returns. @throws GateError BLOB_MISSING when something else lies at that address; UNAVAILABLE */
  async put(store: BlobStoreName, tenant: TenantId, digest: string, bytes: Uint8Array): Promise<void> {
    if (sha256(bytes) !== digest) throw new GateError('BLOB_MISSING', `The body does not fit its digest ${digest}`);
    const address = `${store}.${tenant}.${digest}`;
    if (this.known.has(address)) return;
    const count = Math.max(1, Math.ceil(bytes.byteLength / this.partBytes));
    const stored = await Promise.all(Array.from({ length: count }, (_, part) =>
      this.putPart(blobSubject(store, tenant, digest, part), bytes.subarray(part * this.partBytes, (part + 1) * this.partBytes))));
    if (stored.includes('there')) await this.get(store, tenant, digest);
    if (store === 'BLOBS') this.remember(address);
  }

  async get(store: BlobStoreName, tenant: TenantId, digest: string): Promise<Uint8Array> {
    for (let reads = 1; ; reads += 1) {
      const bytes = await this.read(store, tenant, digest);
      if (bytes && sha256(bytes) === digest) return bytes;
      if (reads === READS) throw new GateError('BLOB_MISSING', `The body ${digest} is not whole in ${store}`);
      await pause(BETWEEN_TRIES_MS * reads);
    }
  }

  private async putPart(subject: string, part: Uint8Array): Promise<'stored' | 'there'> {
    const headers = headersOf({ 'Nats-Expected-Last-Subject-Sequence': '0' });
    const deadline = performance.now() + this.withinMs;
    for (;;) {
      const published = await publish(this.options, subject, part, headers, this.answerMs);
      if (published.outcome === 'stored') return 'stored';
      if (published.outcome === 'conflict') return 'there';
      if (published.outcome === 'refused' && published.code === MAXIMUM_PER_SUBJECT) return 'there';
      if (published.outcome === 'refused' && !published.passing) throw unavailable(`The body cannot be stored: ${published.why}`);
      if (performance.now() >= deadline || this.options.connection.isClosed()) throw unavailable(`The body cannot be stored: ${published.why}`);
      await pause(BETWEEN_TRIES_MS);
    }
  }

  private async read(store: BlobStoreName, tenant: TenantId, digest: string): Promise<Uint8Array | undefined> {
    const filter = blobSubject(store, tenant, digest, '>');
    const prefix = filter.length - 1;
    try {
      const messages = await readAllLast(this.options, store, filter, 0, this.withinMs);
      const parts = messages.map((message) => ({ part: serverHeader(message, 'Nats-Subject').slice(prefix), data: message.data }));
      if (parts.length === 0 || parts.some(({ part }) => !PART.test(part))) return undefined;
      return Buffer.concat(parts.sort((a, b) => Number(a.part) - Number(b.part)).map(({ data }) => data));
    } catch (error) {
      if (error instanceof TooManyResults) return undefined;
      if (isGateError(error, 'UNAVAILABLE')) throw error;
      throw unavailable('The body cannot be read', error);
    }
  }

  private remember(address: string): void {
    if (this.known.size >= KNOWN_BLOBS) this.known.delete(this.known.values().next().value as string);
    this.known.add(address);
  }
}
