import type { PolicyBundle, PolicyRule } from '@countersign/contracts';
import { GateError, digestOf } from '@countersign/kernel';
import { RuleIndex } from './rule-index.js';
import { matchText } from './rule-tuple.js';
import { validateBundle } from './validate-bundle.js';

export interface CompiledBundle {
  readonly bundle: PolicyBundle;
  /** SHA-256 of the canonical bundle; every verdict names it. */
  readonly digest: string;
  readonly index: RuleIndex;
  /** What is legal but probably not meant; for its author, never a refusal. */
  readonly warnings: readonly string[];
}

/**
 * Checks a bundle whole and makes it ready to judge by.
 * @throws GateError POLICY_INVALID (with `details.path`), POLICY_CONFLICT (with `details.rules`, both ids)
 */
export function compileBundle(candidate: unknown): CompiledBundle {
  const bundle = validateBundle(candidate);
  const index = new RuleIndex();
  for (const rule of bundle.rules) {
    const standing = index.add(rule);
    if (standing) throw conflict(standing, rule);
  }
  return { bundle, digest: digestOf(bundle), index, warnings: bundle.rules.flatMap(warningsOf) };
}

function conflict(one: PolicyRule, other: PolicyRule): GateError {
  return new GateError('POLICY_CONFLICT', `Rules ${one.id} and ${other.id} match the same (${matchText(one.match)}); keep one of them`, {
    rules: [one.id, other.id],
  });
}

function warningsOf(rule: PolicyRule): string[] {
  const { match: { kind, risk, provider, tool_name }, action, id } = rule;
  const warnings: string[] = [];
  if ([kind, risk, provider, tool_name].every((field) => field === undefined)) warnings.push(`Rule ${id} has an empty match: it matches every item`);
  const readOnly = kind === 'data_source' || kind === 'interactive';
  if ((readOnly && risk !== undefined && risk !== 'read_only') || (kind === 'resource' && risk === 'read_only')) {
    warnings.push(`Rule ${id} matches nothing: no ${kind} is ${risk}`);
  }
  if (action === 'ask' && (readOnly || risk === 'read_only')) warnings.push(`Rule ${id} asks about calls that nobody can be asked about: its ask becomes deny`);
  return warnings;
}
