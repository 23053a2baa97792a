import type { BlobStoreName, TenantId } from '@countersign/contracts';
import { GateError, sha256 } from '@countersign/kernel';
import type { BlobStore } from '../event-log.js';

/** Blobs in memory, for tests. */
export class InMemoryBlobStore implements BlobStore {
  private readonly bodies = new Map<string, Uint8Array>();

  async put(store: BlobStoreName, tenant: TenantId, digest: string, bytes: Uint8Array): Promise<void> {
    if (sha256(bytes) !== digest) throw new GateError('BLOB_MISSING', `The body does not fit its digest ${digest}`);
    const address = `${store}/${tenant}/${digest}`;
    if (!this.bodies.has(address)) this.bodies.set(address, Uint8Array.from(bytes));
  }

  async get(store: BlobStoreName, tenant: TenantId, digest: string): Promise<Uint8Array> {
    const bytes = this.bodies.get(`${store}/${tenant}/${digest}`);
    if (!bytes || sha256(bytes) !== digest) throw new GateError('BLOB_MISSING', `The body ${digest} is not in ${store}`);
    return Uint8Array.from(bytes);
  }

  /** Loses a body, as an expired result or a damaged store would. */
  lose(store: BlobStoreName, tenant: TenantId, digest: string): void {
    this.bodies.delete(`${store}/${tenant}/${digest}`);
  }
}
