import type { TenantId } from '@countersign/contracts';
import { isActive } from '@countersign/domain-grant';
import { bundleInForce, type PolicyState } from '@countersign/domain-policy-bundle';
import type { TenantState } from '@countersign/domain-tenant';
import { unseal, type BlobStore } from '@countersign/event-log';
import { compilePolicy, type CompiledPolicy, type PolicyParts, type StandingRule } from '@countersign/policy-engine';
import type { CatalogueFold } from './catalogue-fold.js';
import type { CompiledBundles } from './compiled-bundles.js';

export interface BundleName { readonly version: number; readonly digest: string }

/** What a tenant's items are judged by, all of one moment of its catalogue. */
export interface TenantPolicy {
  /** The tenant's last event in CATALOG that is in here. */
  readonly sequence: number;
  readonly rules: BundleName;
  /** Absent: the tenant has none. */
  readonly guardrails?: BundleName;
  readonly compiled: CompiledPolicy;
  /** What `compiled` was made of, for asking what would be if a part were another. */
  readonly parts: PolicyParts;
  /** The same with the shadow bundle in place of the rules. */
  readonly shadow?: { readonly digest: string; readonly compiled: CompiledPolicy };
  /** Settings, subscribers and freezes. */
  readonly tenant: TenantState;
}

export interface PolicySources { readonly blobs: BlobStore; readonly bundles: CompiledBundles }

/** @throws GateError as `CompiledBundles.of`: what cannot be read judges nothing */
export async function tenantPolicyOf(tenant: TenantId, fold: CatalogueFold, sequence: number, { blobs, bundles }: PolicySources): Promise<TenantPolicy> {
  const { version, digest, bundle } = bundleInForce(fold.rules);
  const rules = await bundles.of(tenant, 'rules', digest, bundle);
  const guardrails = fold.guardrails.active && await bundles.of(tenant, 'guardrails', fold.guardrails.active.digest, fold.guardrails.active.bundle);
  const { shadow } = fold.rules;
  const parts: PolicyParts = { rules, ...(guardrails ? { guardrails } : {}), standing: standingIn(fold), published: await publishedIn(tenant, fold.rules, blobs) };
  return {
    sequence, tenant: fold.tenant, parts, compiled: compilePolicy(parts),
    rules: { version, digest },
    ...(fold.guardrails.active ? { guardrails: { version: fold.guardrails.active.version, digest: fold.guardrails.active.digest } } : {}),
    ...(shadow ? { shadow: { digest: shadow.digest, compiled: compilePolicy({ ...parts, rules: await bundles.of(tenant, 'rules', shadow.digest, shadow.bundle) }) } } : {}),
  };
}

/** Given and not revoked; the engine leaves out what has expired at the time of the evaluation. */
const standingIn = ({ grants }: CatalogueFold): StandingRule[] => [...grants].flatMap(([grantId, state]) =>
  (isActive(state) && state.active ? [{ grantId, grant: state.active.grant, activatedAt: state.active.activatedAt }] : []));

async function publishedIn(tenant: TenantId, { active }: PolicyState, blobs: BlobStore): Promise<Readonly<Record<string, string>>> {
  return active?.published ? await unseal(active.published, { blobs, tenant }) : {};
}
