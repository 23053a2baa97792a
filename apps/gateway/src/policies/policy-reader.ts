import { policyKey, type BundleActivated, type PolicyBundle, type PolicyEvent, type PolicyLayer, type Sealed, type TenantId } from '@countersign/contracts';
import type { PolicyDiffView, PolicyHistoryView, PolicySideView, PolicyView, ShadowPolicyView } from '@countersign/contracts/http';
import { createAggregateStore, unseal, type BlobStore, type EventLog, type Folded } from '@countersign/event-log';
import { GateError, digestOf } from '@countersign/kernel';
import type { ReadOnlyStore } from '../catalogue/aggregates.js';
import { bundleDiff } from './bundle-diff.js';
import { bundleHistoryFold, type BundleHistory } from './bundle-history.js';

const NO_RULES: PolicyBundle = { rules: [] };

/** Shows a tenant's bundles: what is in force, what was, and what is only looked at. */
export class PolicyReader {
  private readonly histories: ReadOnlyStore<BundleHistory, PolicyEvent>;

  constructor(log: EventLog, private readonly blobs: BlobStore) {
    this.histories = createAggregateStore(log, bundleHistoryFold);
  }

  /** @param atLeast a sequence the aggregate is known to have */
  async active(tenant: TenantId, layer: PolicyLayer, atLeast?: number): Promise<PolicyView> {
    const history = await this.load(tenant, layer, atLeast);
    return this.view(tenant, layer, newestOf(history.state), history.position.sequence);
  }

  /** @throws GateError VERSION_UNKNOWN */
  async version(tenant: TenantId, layer: PolicyLayer, version: number): Promise<PolicyView> {
    const { state, position } = await this.load(tenant, layer);
    return this.view(tenant, layer, versionOf(state, version), position.sequence);
  }

  async history(tenant: TenantId, layer: PolicyLayer): Promise<PolicyHistoryView> {
    const { state, position } = await this.load(tenant, layer);
    const versions = [...state.versions.values()].sort((a, b) => b.version - a.version)
      .map(({ version, digest, by, at, rolledBackTo }) => ({ version, digest, activatedBy: by, activatedAt: at, ...(rolledBackTo === undefined ? {} : { rolledBackTo }) }));
    return { layer, versions, sequence: position.sequence };
  }

  /** @throws GateError VERSION_UNKNOWN */
  async diff(tenant: TenantId, layer: PolicyLayer, from: number, to: number): Promise<PolicyDiffView> {
    const { state } = await this.load(tenant, layer);
    return bundleDiff(await this.side(tenant, versionOf(state, from)), await this.side(tenant, versionOf(state, to)));
  }

  async shadow(tenant: TenantId, atLeast?: number): Promise<ShadowPolicyView> {
    const { state: { shadow }, position: { sequence } } = await this.load(tenant, 'rules', atLeast);
    if (!shadow?.digest || !shadow.bundle) return { sequence };
    const { rules, profiles } = await unseal(shadow.bundle, { blobs: this.blobs, tenant });
    return { digest: shadow.digest, rules, ...(profiles ? { profiles } : {}), chosenBy: shadow.by, chosenAt: shadow.at, sequence };
  }

  private load(tenant: TenantId, layer: PolicyLayer, atLeast?: number): Promise<Folded<BundleHistory>> {
    const key = policyKey(tenant, layer);
    return atLeast === undefined ? this.histories.fresh(key) : this.histories.get(key, atLeast);
  }

  private async view(tenant: TenantId, layer: PolicyLayer, active: BundleActivated | undefined, sequence: number): Promise<PolicyView> {
    const { version, digest, rules, profiles } = await this.side(tenant, active);
    return {
      layer, version, digest, rules, ...(profiles ? { profiles } : {}),
      ...(active ? { activatedBy: active.by, activatedAt: active.at } : {}), ...(active?.rolledBackTo === undefined ? {} : { rolledBackTo: active.rolledBackTo }), sequence,
    };
  }

  private async side(tenant: TenantId, active: BundleActivated | undefined): Promise<PolicySideView> {
    if (!active) return { version: 0, digest: digestOf(NO_RULES), rules: [] };
    const { rules, profiles } = isSealed(active.bundle) ? await unseal(active.bundle, { blobs: this.blobs, tenant }) : active.bundle;
    return { version: active.version, digest: active.digest, rules, ...(profiles ? { profiles } : {}) };
  }
}

const isSealed = (bundle: BundleActivated['bundle']): bundle is Sealed<PolicyBundle> => 'digest' in bundle;

const newestOf = ({ versions }: BundleHistory): BundleActivated | undefined => versions.get(Math.max(0, ...versions.keys()));

/** 0 is what holds before the first. */
function versionOf({ versions }: BundleHistory, version: number): BundleActivated | undefined {
  const found = versions.get(version);
  if (!found && version !== 0) throw new GateError('VERSION_UNKNOWN', `There is no version ${version}`);
  return found;
}
