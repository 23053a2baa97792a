import type { BundleActivated, PolicyBundle, PolicyEvent, Sealed, ShadowChosen } from '@countersign/contracts';
import { digestOf, type Fold } from '@countersign/kernel';

/** A bundle as its event holds it: the oldest ones hold it bare. Read it through `isSealed`. */
export type StoredBundle = Sealed<PolicyBundle> | PolicyBundle;

/** One activation, without its bundle; `bundles` has that, once, however many versions name it. */
export type BundleVersion = Pick<BundleActivated, 'version' | 'digest' | 'rolledBackTo' | 'by' | 'at'>;

/** One layer of a tenant: its rules, or its guardrails. */
export interface PolicyState {
  /** The bundle in force; absent while the tenant has activated none, and the defaults alone hold. */
  readonly active?: BundleActivated;
  /** Every bundle that was pushed, activated or chosen as shadow, by its digest. */
  readonly bundles: ReadonlyMap<string, StoredBundle>;
  /** Every version there was, by its number, oldest first. */
  readonly versions: ReadonlyMap<number, BundleVersion>;
  /** Evaluated beside the one in force, without effect; absent: none. */
  readonly shadow?: Required<ShadowChosen>;
}

export const policyFold: Fold<PolicyState, PolicyEvent> = { initial: { bundles: new Map(), versions: new Map() }, evolve };

/** Total: an older or repeated version changes nothing, and the first bundle of a digest stays. */
export function evolve(state: PolicyState, event: PolicyEvent): PolicyState {
  switch (event.type) {
    case 'policy.BundlePushed':
      return withBundle(state, event.data.digest, event.data.bundle);
    case 'policy.BundleActivated':
      return activated(state, event.data);
    case 'policy.ShadowChosen':
      return shadowed(state, event.data);
    default:
      return state;
  }
}

function withBundle(state: PolicyState, digest: string, bundle: StoredBundle): PolicyState {
  return state.bundles.has(digest) ? state : { ...state, bundles: new Map(state.bundles).set(digest, bundle) };
}

function activated(state: PolicyState, data: BundleActivated): PolicyState {
  if (data.version <= (state.active?.version ?? 0)) return state;
  const { version, digest, rolledBackTo, by, at } = data;
  const entry = { version, digest, ...(rolledBackTo === undefined ? {} : { rolledBackTo }), by, at };
  return { ...withBundle(state, digest, data.bundle), active: data, versions: new Map(state.versions).set(version, entry) };
}

function shadowed(state: PolicyState, { digest, bundle, by, at }: ShadowChosen): PolicyState {
  const { shadow: _, ...rest } = state;
  if (digest === undefined || bundle === undefined) return rest;
  return { ...withBundle(rest, digest, bundle), shadow: { digest, bundle, by, at } };
}

/** What a tenant without a bundle is judged by: no rule, so the defaults (`SEMANTICS` § 2), as version 0. */
export const NO_RULES: PolicyBundle = { rules: [] };
export const NO_RULES_DIGEST = digestOf(NO_RULES);

export interface BundleInForce {
  readonly version: number;
  readonly digest: string;
  readonly bundle: StoredBundle;
}

export const bundleInForce = ({ active }: PolicyState): BundleInForce =>
  (active ? { version: active.version, digest: active.digest, bundle: active.bundle } : { version: 0, digest: NO_RULES_DIGEST, bundle: NO_RULES });

/** What a version was; 0 is what holds before the first. Undefined: there was no such version. */
export function bundleOfVersion(state: PolicyState, version: number): BundleInForce | undefined {
  if (version === 0) return bundleInForce({ bundles: state.bundles, versions: state.versions });
  const digest = state.versions.get(version)?.digest;
  const bundle = digest === undefined ? undefined : state.bundles.get(digest);
  return digest === undefined || bundle === undefined ? undefined : { version, digest, bundle };
}

/** A bundle has no member `digest`. */
export const isSealed = (bundle: StoredBundle): bundle is Sealed<PolicyBundle> => 'digest' in bundle;
