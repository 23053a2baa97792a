import type { PolicyRule } from '@countersign/contracts';
import type { CompiledBundle } from './compile-bundle.js';
import type { StandingRule } from './facts.js';
import { ruleFingerprint } from './fingerprint.js';

/** What a tenant's items are judged by, ready. */
export interface CompiledPolicy {
  readonly rules: CompiledBundle;
  readonly guardrails?: CompiledBundle;
  readonly standing: ReadonlyMap<string, readonly StandingRule[]>;
  /** Milliseconds since 1970 at which a rule of that match, condition and action was first in force; NaN where nobody knows. */
  readonly publishedAt: (rule: PolicyRule) => number;
  /** Profiles that nobody answers interactive calls of. */
  readonly headless: ReadonlySet<string>;
}

export interface PolicyParts {
  readonly rules: CompiledBundle;
  readonly guardrails?: CompiledBundle;
  /** Standing grants in force. */
  readonly standing?: readonly StandingRule[];
  /** First activation by fingerprint of the rule, RFC 3339. An explicit ask that is not in here counts as newer than any grant. */
  readonly published?: Readonly<Record<string, string>>;
}

export function compilePolicy({ rules, guardrails, standing = [], published = {} }: PolicyParts): CompiledPolicy {
  const byOperation = new Map<string, StandingRule[]>();
  for (const one of standing) {
    const key = standingKey(one.grant);
    byOperation.set(key, [...(byOperation.get(key) ?? []), one]);
  }
  const times = new Map<PolicyRule, number>();
  return {
    rules, ...(guardrails === undefined ? {} : { guardrails }), standing: byOperation,
    publishedAt: (rule) => {
      if (!times.has(rule)) {
        const fingerprint = ruleFingerprint(rule);
        times.set(rule, Object.hasOwn(published, fingerprint) ? Date.parse(published[fingerprint]!) : NaN);
      }
      return times.get(rule)!;
    },
    headless: new Set([rules, ...(guardrails ? [guardrails] : [])].flatMap(({ bundle }) => Object.entries(bundle.profiles ?? {}).filter(([, { headless }]) => headless).map(([name]) => name))),
  };
}

/** Provider names hold no line break. */
export const standingKey = ({ profile, provider, operation }: { readonly profile: string; readonly provider: string; readonly operation: string }): string =>
  `${profile}\n${provider}\n${operation}`;

/** The id of the operator's rule that says exactly what a standing grant would say, where there is one. */
export function operatorRuleWithMatch({ rules }: CompiledPolicy, { profile, provider, operation }: { readonly profile: string; readonly provider: string; readonly operation: string }): string | undefined {
  return rules.bundle.rules.find(({ match, profile: own, when }) => match.provider === provider && match.tool_name === operation && Object.keys(match).length === 2
    && (own === undefined || own === profile) && when === undefined)?.id;
}
