import type { BundleActivated, PolicyEvent, ShadowChosen } from '@countersign/contracts';
import type { Fold } from '@countersign/kernel';

/** All that a tenant's layer ever had in force, to be shown. What is in force is judged by policy's own fold, which says the same. */
export interface BundleHistory {
  /** By version, oldest first. */
  readonly versions: ReadonlyMap<number, BundleActivated>;
  /** The newest choice; without a digest: none any more. */
  readonly shadow?: ShadowChosen;
}

export const bundleHistoryFold: Fold<BundleHistory, PolicyEvent> = { initial: { versions: new Map() }, evolve };

/** Total: a version that was given already changes nothing. */
function evolve(history: BundleHistory, event: PolicyEvent): BundleHistory {
  switch (event.type) {
    case 'policy.BundleActivated':
      return history.versions.has(event.data.version) ? history : { ...history, versions: new Map(history.versions).set(event.data.version, event.data) };
    case 'policy.ShadowChosen':
      return { ...history, shadow: event.data };
    default:
      return history;
  }
}
