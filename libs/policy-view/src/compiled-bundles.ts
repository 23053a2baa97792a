import type { PolicyBundle, PolicyLayer, TenantId } from '@countersign/contracts';
import { isSealed, type StoredBundle } from '@countersign/domain-policy-bundle';
import { unseal, type BlobStore } from '@countersign/event-log';
import { compileBundle, type CompiledBundle } from '@countersign/policy-engine';

/** Compiled bundles by what they say: the same one of several tenants, or again after a roll-back, is compiled once. */
export class CompiledBundles {
  private readonly known = new Map<string, CompiledBundle>();

  constructor(private readonly blobs: BlobStore, private readonly most = 500) {}

  /** @throws GateError BLOB_MISSING, UNAVAILABLE of its body; POLICY_INVALID, POLICY_CONFLICT where this build refuses what an older one took */
  async of(tenant: TenantId, layer: PolicyLayer, digest: string, stored: StoredBundle): Promise<CompiledBundle> {
    const key = `${layer} ${digest}`;
    const known = this.known.get(key);
    if (known) this.known.delete(key);
    return this.keep(key, known ?? compileBundle(await this.read(tenant, stored), { layer }));
  }

  private async read(tenant: TenantId, stored: StoredBundle): Promise<PolicyBundle> {
    return isSealed(stored) ? await unseal(stored, { blobs: this.blobs, tenant }) : stored;
  }

  /** The one that was used longest ago goes first. */
  private keep(key: string, compiled: CompiledBundle): CompiledBundle {
    this.known.set(key, compiled);
    if (this.known.size > this.most) this.known.delete(this.known.keys().next().value!);
    return compiled;
  }
}
