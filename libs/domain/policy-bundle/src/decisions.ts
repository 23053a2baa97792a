import type { PolicyBundle, PolicyEvent, PrincipalId } from '@countersign/contracts';
import { digestOf, type Decision } from '@countersign/kernel';
import type { PolicyState } from './state.js';

export interface ActivateBundleAs {
  /** Already compiled by the policy engine: a bundle that it refuses is never decided on. */
  readonly bundle: PolicyBundle;
  readonly by: PrincipalId;
  readonly at: string;
}

export interface BundleGiven { readonly version: number; readonly digest: string; readonly repeated: boolean }

/** Replaces the whole bundle at once. The bundle in force again says nothing; an older one again is a new version. */
export function activateBundle(policy: PolicyState, { bundle, by, at }: ActivateBundleAs): Decision<PolicyEvent, BundleGiven> {
  const digest = digestOf(bundle);
  const current = policy.active?.version ?? 0;
  if (policy.active?.digest === digest) return { reply: { version: current, digest, repeated: true } };
  const version = current + 1;
  return { event: { type: 'policy.BundleActivated', data: { version, digest, bundle, by, at } }, reply: { version, digest, repeated: false } };
}
