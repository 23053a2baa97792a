import type { BundleActivated, PolicyBundle, PolicyEvent } from '@countersign/contracts';
import { digestOf, type Fold } from '@countersign/kernel';

export interface PolicyState {
  /** The bundle in force; absent while the tenant has activated none, and the defaults alone hold. */
  readonly active?: BundleActivated;
}

export const policyFold: Fold<PolicyState, PolicyEvent> = { initial: {}, evolve };

/** Total: an older or repeated version changes nothing. */
export function evolve(state: PolicyState, event: PolicyEvent): PolicyState {
  if (event.type !== 'policy.BundleActivated') return state;
  return event.data.version > (state.active?.version ?? 0) ? { active: event.data } : state;
}

/** What a tenant without a bundle is judged by: no rule, so the defaults (`SEMANTICS` § 2), as version 0. */
export const NO_RULES: PolicyBundle = { rules: [] };
export const NO_RULES_DIGEST = digestOf(NO_RULES);

export interface BundleInForce {
  readonly version: number;
  readonly digest: string;
  readonly bundle: PolicyBundle;
}

export const bundleInForce = ({ active }: PolicyState): BundleInForce =>
  (active ? { version: active.version, digest: active.digest, bundle: active.bundle } : { version: 0, digest: NO_RULES_DIGEST, bundle: NO_RULES });
