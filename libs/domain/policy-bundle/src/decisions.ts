import type { PolicyBundle, PolicyEvent, PrincipalId, Sealed } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { NO_RULES_DIGEST, bundleInForce, bundleOfVersion, type BundleInForce, type PolicyState } from './state.js';

/** A bundle that the policy engine has compiled for its layer: one that it refuses is never decided on. */
export interface BundleGiven {
  readonly digest: string;
  readonly bundle: Sealed<PolicyBundle>;
  readonly by: PrincipalId;
  readonly at: string;
}

export interface ActivateBundleAs extends BundleGiven {
  /** First activation of each rule that asks, by fingerprint, with those of the versions before. */
  readonly published?: Sealed<Readonly<Record<string, string>>>;
}

export interface Pushed { readonly digest: string; readonly repeated: boolean }
export interface Activated extends Pushed { readonly version: number }

/** Keeps a bundle under its digest, without effect. One that is known (pushed, or ever in force) says nothing. */
export function pushBundle(policy: PolicyState, { digest, bundle, by, at }: BundleGiven): Decision<PolicyEvent, Pushed> {
  if (policy.bundles.has(digest)) return { reply: { digest, repeated: true } };
  return { event: { type: 'policy.BundlePushed', data: { digest, bundle, by, at } }, reply: { digest, repeated: false } };
}

/** Replaces the whole bundle at once. The bundle in force again says nothing; an older one again is a new version. */
export function activateBundle(policy: PolicyState, { digest, bundle, published, by, at }: ActivateBundleAs): Decision<PolicyEvent, Activated> {
  const current = policy.active?.version ?? 0;
  if (policy.active?.digest === digest) return { reply: { version: current, digest, repeated: true } };
  const version = current + 1;
  return {
    event: { type: 'policy.BundleActivated', data: { version, digest, bundle, ...(published ? { published } : {}), by, at } },
    reply: { version, digest, repeated: false },
  };
}

/**
 * The version that a roll-back goes to.
 * @param version absent: the one before the one in force; before the first that is 0, the empty bundle
 * @throws GateError VERSION_UNKNOWN
 */
export function rollBackTarget(policy: PolicyState, version?: number): BundleInForce {
  if (!policy.active) throw new GateError('VERSION_UNKNOWN', 'No bundle was ever activated: there is nothing to go back to');
  const target = version ?? policy.active.version - 1;
  const found = bundleOfVersion(policy, target);
  if (!found) throw new GateError('VERSION_UNKNOWN', `There is no version ${target}; the one in force is ${policy.active.version}`, { version: target });
  return found;
}

export interface RollBackAs extends ActivateBundleAs { readonly rolledBackTo: number }

/** Puts an earlier version in force again, as a new one. What is in force already says nothing. @throws GateError VERSION_UNKNOWN */
export function rollBack(policy: PolicyState, { rolledBackTo, ...given }: RollBackAs): Decision<PolicyEvent, Activated> {
  const target = rollBackTarget(policy, rolledBackTo);
  if (target.digest !== given.digest) throw new GateError('INTERNAL', `Version ${rolledBackTo} is another bundle than the one that was prepared`);
  const decision = activateBundle(policy, given);
  if (decision.event?.type !== 'policy.BundleActivated') return decision;
  return { event: { type: 'policy.BundleActivated', data: { ...decision.event.data, rolledBackTo } }, reply: decision.reply };
}

export type ChooseShadowAs = BundleGiven | { readonly by: PrincipalId; readonly at: string };

/** The bundle that is evaluated and recorded without effect; none given: none any more. The same choice again says nothing. */
export function chooseShadow(policy: PolicyState, choice: ChooseShadowAs): Decision<PolicyEvent, { readonly digest?: string; readonly repeated: boolean }> {
  const { by, at } = choice;
  const digest = 'digest' in choice ? choice.digest : undefined;
  const reply = digest === undefined ? {} : { digest };
  if (policy.shadow?.digest === digest) return { reply: { ...reply, repeated: true } };
  const chosen = 'digest' in choice ? { digest: choice.digest, bundle: choice.bundle } : {};
  return { event: { type: 'policy.ShadowChosen', data: { ...chosen, by, at } }, reply: { ...reply, repeated: false } };
}

/** A bundle that is known by its digest; the empty one always is. @throws GateError NOT_FOUND */
export function bundleByDigest(policy: PolicyState, digest: string): Pick<BundleInForce, 'digest' | 'bundle'> {
  const bundle = policy.bundles.get(digest);
  if (bundle) return { digest, bundle };
  if (digest === NO_RULES_DIGEST) return bundleInForce({ bundles: policy.bundles, versions: policy.versions });
  throw new GateError('NOT_FOUND', 'No bundle of that digest was pushed to this layer; push it, or give the bundle itself', { digest });
}
