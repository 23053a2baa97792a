import type { PolicyRule } from '@countersign/contracts';
import type { PolicyDiffView, PolicySideView } from '@countersign/contracts/http';
import { canonicalJson } from '@countersign/kernel';

/** By rule id. The order of rules says nothing and is not compared. */
export function bundleDiff(from: PolicySideView, to: PolicySideView): PolicyDiffView {
  const before = byId(from.rules);
  const after = byId(to.rules);
  return {
    from, to,
    added: to.rules.filter(({ id }) => !before.has(id)),
    removed: from.rules.filter(({ id }) => !after.has(id)),
    changed: from.rules.flatMap((rule) => {
      const now = after.get(rule.id);
      return now && canonicalJson(now) !== canonicalJson(rule) ? [{ id: rule.id, from: rule, to: now }] : [];
    }),
    profilesChanged: canonicalJson(from.profiles ?? {}) !== canonicalJson(to.profiles ?? {}),
  };
}

const byId = (rules: readonly PolicyRule[]): ReadonlyMap<string, PolicyRule> => new Map(rules.map((rule) => [rule.id, rule]));
