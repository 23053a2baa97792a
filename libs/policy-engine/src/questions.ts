import type { LayerFinding, SessionGrant } from '@countersign/contracts';
import type { CompiledPolicy } from './compile-policy.js';
import type { ItemFacts, LayeredVerdict } from './facts.js';
import { RuleFinder } from './rule-finding.js';

/** The guardrail that denies the item, where one does: preview-fanout asks before its arguments reach the provider. */
export function guardrailDenies({ guardrails }: CompiledPolicy, facts: ItemFacts): LayerFinding | undefined {
  const winner = guardrails && new RuleFinder(facts).winner(guardrails);
  return winner?.rule.action === 'deny' ? { layer: 'guardrail_deny', says: 'deny', by: winner.by } : undefined;
}

/**
 * Whether judging such an item may look at its arguments: a condition over `input`, or a grant narrowed to a path or a host.
 * @param grants the session's
 */
export function needsInput(policy: CompiledPolicy, item: Pick<ItemFacts['item'], 'kind' | 'provider' | 'name' | 'risk'>, grants: readonly SessionGrant[] = []): boolean {
  const values = { tool_name: item.name, provider: item.provider, risk: item.risk, kind: item.kind };
  const bundles = [policy.rules, ...(policy.guardrails ? [policy.guardrails] : [])];
  if (bundles.some(({ usesInput, index }) => usesInput && index.find(values, ({ condition }) => condition?.usesInput === true) !== undefined)) return true;
  const given = [...grants, ...[...policy.standing.values()].flat().map(({ grant }) => grant)];
  return given.some(({ provider, operation, narrow }) => provider === item.provider && operation === item.name && narrow !== undefined && narrow.kind !== 'exact_input');
}

const BEFORE_VETO: ReadonlySet<string> = new Set(['guardrail_deny', 'session', 'mode', 'headless', 'session_deny', 'policy']);

/** Whether the tenant's veto subscribers are asked about an item that was judged without them: a resource, not denied yet by layers 1 to 6. */
export const awaitsVeto = ({ item }: ItemFacts, { layers }: LayeredVerdict): boolean =>
  item.kind === 'resource' && !layers.some(({ layer, says }) => says === 'deny' && BEFORE_VETO.has(layer));
