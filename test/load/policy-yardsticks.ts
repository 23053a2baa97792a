import type { PolicyRule } from '@countersign/contracts';
import type { ItemFacts } from '@countersign/policy-engine';
import { preparsePolicySet, statefulIsAuthorized } from '@cedar-policy/cedar-wasm/nodejs';
import { Environment } from '@marcbachmann/cel-js';

/**
 * The same rules as Cedar policies, parsed once. Cedar has no specificity: a forbid wins over every permit. What is compared
 * is what finding and evaluating the policies that apply costs, not the verdict.
 * @returns items a second
 */
export function cedarItems(rules: readonly PolicyRule[], items: readonly ItemFacts[], quick: boolean): number {
  const policies = rules.map(({ id, action, match, when }) => {
    const conditions = [
      ...(match.risk === undefined ? [] : [`context.risk == "${match.risk}"`]), ...(match.kind === undefined ? [] : [`context.kind == "${match.kind}"`]),
      ...(when === undefined ? [] : [when.replace(/input\.path\.startsWith\("([^"]*)"\)/, 'context.path like "$1*"').replaceAll('input.', 'context.')]),
    ];
    const scope = `principal, action${match.tool_name === undefined ? '' : ` == Action::"${match.tool_name}"`}, resource${match.provider === undefined ? '' : ` == Provider::"${match.provider}"`}`;
    return `@id("${id}") ${action === 'allow' ? 'permit' : 'forbid'}(${scope})${conditions.length === 0 ? '' : ` when { ${conditions.join(' && ')} }`};`;
  }).join('\n');
  const name = `rules-${rules.length}`;
  const parsed = preparsePolicySet(name, { staticPolicies: policies });
  if (parsed.type !== 'success') throw new Error(`Cedar does not take the rules: ${JSON.stringify(parsed.errors)}`);
  const requests = items.map(({ item, input }) => ({
    principal: { type: 'Agent', id: 'coder' }, action: { type: 'Action', id: item.name }, resource: { type: 'Provider', id: item.provider },
    context: { ...(input as Record<string, string | number>), risk: item.risk, kind: item.kind }, preparsedPolicySetId: name, entities: [],
  }));
  const count = quick ? 200 : 2_000;
  const started = performance.now();
  for (let judged = 0; judged < count; judged += 1) {
    if (statefulIsAuthorized(requests[judged % requests.length]!).type !== 'success') throw new Error('Cedar gave no verdict');
  }
  return (count * 1_000) / (performance.now() - started);
}

/** The bare evaluator on the conditions of the rules, one after the other, with a context that is ready. @returns conditions a second */
export function bareConditions(rules: readonly PolicyRule[], items: readonly ItemFacts[], rounds: number): number {
  const environment = new Environment().registerVariable('input', 'dyn');
  const conditions = rules.flatMap(({ when }) => (when === undefined ? [] : [environment.parse(when)]));
  const contexts = items.map(({ input }) => ({ input }));
  const round = (): number => {
    const started = performance.now();
    conditions.forEach((condition, index) => void condition(contexts[index % contexts.length]));
    return (conditions.length * 1_000) / (performance.now() - started);
  };
  round();
  return Math.max(...Array.from({ length: rounds }, round));
}
