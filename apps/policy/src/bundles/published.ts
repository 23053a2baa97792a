import { LIMITS, type PolicyBundle } from '@countersign/contracts';
import type { PolicyState } from '@countersign/domain-policy-bundle';
import { unseal, type BlobStore } from '@countersign/event-log';
import { ruleFingerprint } from '@countersign/policy-engine';

export type Published = Readonly<Record<string, string>>;

/**
 * When each rule that asks was first in force, by its fingerprint: activating a rule again, under whatever name, does not make it
 * newer. Of rules that are no longer in force the oldest are forgotten beyond `LIMITS.policyPublished`; a forgotten one counts as
 * new when it comes back, and an ask that is newer than a grant wins over it.
 */
export function publishedWith(before: Published, bundle: PolicyBundle, at: string): Published {
  const now: Record<string, string> = {};
  for (const rule of bundle.rules) {
    if (rule.action !== 'ask') continue;
    const fingerprint = ruleFingerprint(rule);
    now[fingerprint] = Object.hasOwn(before, fingerprint) ? before[fingerprint]! : at;
  }
  const others = Object.entries(before).filter(([fingerprint]) => !Object.hasOwn(now, fingerprint))
    .sort(([, a], [, b]) => Date.parse(b) - Date.parse(a)).slice(0, LIMITS.policyPublished);
  return { ...Object.fromEntries(others), ...now };
}

/** What the version in force says; for one that says nothing (the oldest do not) its own activation. */
export async function publishedBy({ active }: PolicyState, current: PolicyBundle, where: { readonly blobs: BlobStore; readonly tenant: string }): Promise<Published> {
  if (!active) return {};
  return active.published ? await unseal(active.published, where) : publishedWith({}, current, active.at);
}
