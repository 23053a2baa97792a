import { LIMITS, type PolicyBundle, type PolicyLayer, type PolicyRule } from '@countersign/contracts';
import { canonicalJson, digestOf } from '@countersign/kernel';
import { compileRule } from './compile-rule.js';
import { orderRules } from './order-rules.js';
import { RuleIndex } from './rule-index.js';
import { refused, validateBundle } from './validate-bundle.js';

export interface CompiledBundle {
  readonly bundle: PolicyBundle;
  /** SHA-256 of the canonical bundle; every verdict names it. */
  readonly digest: string;
  readonly index: RuleIndex;
  /** Whether some rule has a condition over the arguments. */
  readonly usesInput: boolean;
  /** What is legal but probably not meant; for its author, never a refusal. */
  readonly warnings: readonly string[];
}

/**
 * Checks a bundle whole and makes it ready to judge by.
 * @param layer guardrails may only ask and deny
 * @throws GateError POLICY_INVALID (with `details.path`), POLICY_CONFLICT (with `details.rules`, ids)
 */
export function compileBundle(candidate: unknown, { layer = 'rules' }: { readonly layer?: PolicyLayer } = {}): CompiledBundle {
  const bundle = validateBundle(candidate);
  if (Buffer.byteLength(canonicalJson(bundle)) > LIMITS.policyBundleBytes) throw refused('', `it is larger than ${LIMITS.policyBundleBytes} bytes`);
  if (layer === 'guardrails') refuseAllow(bundle);
  const places = new Map(bundle.rules.map(({ id }, index) => [id, index]));
  const order = orderRules(bundle.rules).map((rule, place) => compileRule(rule, layer, place, places.get(rule.id)!));
  return {
    bundle, digest: digestOf(bundle), index: new RuleIndex(order),
    usesInput: order.some(({ condition }) => condition?.usesInput), warnings: bundle.rules.flatMap(warningsOf),
  };
}

function refuseAllow({ rules }: PolicyBundle): void {
  const index = rules.findIndex(({ action }) => action === 'allow');
  if (index >= 0) throw refused(`/rules/${index}/action`, 'must be one of ask, deny: a guardrail does not allow');
}

function warningsOf(rule: PolicyRule): string[] {
  const { match, action, id } = rule;
  const { kind, risk, risk_at_least } = match;
  const warnings: string[] = [];
  if (Object.keys(match).length === 0) warnings.push(`Rule ${id} has an empty match: it matches every item`);
  const readOnly = kind === 'data_source' || kind === 'interactive';
  if ((readOnly && risk !== undefined && risk !== 'read_only') || (kind === 'resource' && risk === 'read_only')) {
    warnings.push(`Rule ${id} matches nothing: no ${kind} is ${risk}`);
  }
  if (readOnly && risk_at_least !== undefined && risk_at_least !== 'read_only') warnings.push(`Rule ${id} matches nothing: no ${kind} is ${risk_at_least} or higher`);
  if (action === 'ask' && (readOnly || risk === 'read_only')) warnings.push(`Rule ${id} asks about calls that nobody can be asked about: its ask becomes deny`);
  return warnings;
}
