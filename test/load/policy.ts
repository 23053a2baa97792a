import type { PolicyRule } from '@countersign/contracts';
import { compileBundle, compilePolicy, judge, type CompiledPolicy, type ItemFacts } from '@countersign/policy-engine';
import { bareConditions, cedarItems } from './policy-yardsticks.js';
import { atLeast, atMost, figure, type Figure } from './figures.js';

const OPERATIONS = 200;
const CONDITIONED = 1_000;

/** Figures of the engine alone, one core, beside a bare CEL evaluator and Cedar on the same rules in the same run. */
export function policyFigures(quick: boolean): Record<string, Figure> {
  const rounds = quick ? 3 : 10;
  const plain = policyOf(plainRules());
  const plainItems = Array.from({ length: 1_000 }, (_, index) => factsOf(`p${index % 150}`, `op${index % 170}`, index, index % 2 ? 'high' : 'low'));
  const conditioned = policyOf(conditionedRules());
  const items = Array.from({ length: 1_000 }, (_, index) => factsOf('files', `op${index % OPERATIONS}`, index));
  const worst = worstRules();
  const worstPolicy = policyOf(worst);
  const perItem = conditionsAnItem(conditioned, items);
  const itemsPerSecond = best(rounds, () => perSecond(conditioned, items, quick ? 5_000 : 30_000));
  return {
    'policy evaluation, 100 rules, one core': figure(best(rounds, () => perSecond(plain, plainItems, 100_000)), 'items/s', atLeast(1_000_000), cedarItems(plainRules(), plainItems, quick)),
    [`policy evaluation, ${CONDITIONED} rules with conditions over ${OPERATIONS} operations`]: figure(itemsPerSecond, 'items/s', atLeast(30_000), cedarItems(conditionedRules(), items, quick)),
    'conditions evaluated': figure(itemsPerSecond * perItem, 'conditions/s', undefined, bareConditions(conditionedRules(), items, rounds)),
    'conditions evaluated an item': figure(perItem, 'conditions', undefined),
    [`worst item, ${CONDITIONED} conditions on one operation, all errors`]: figure(slowest(rounds, worstPolicy, factsOf('files', 'op', 0)), 'ms', atMost(30)),
    [`worst item, ${CONDITIONED} conditions that use up their steps`]: figure(slowest(rounds, policyOf(hungryRules()), hungryFacts()), 'ms', atMost(30)),
    [`compile ${CONDITIONED} rules with conditions`]: figure(leastMs(rounds, () => policyOf(conditionedRules())), 'ms', atMost(100)),
  };
}

const policyOf = (rules: readonly PolicyRule[]): CompiledPolicy => compilePolicy({ rules: compileBundle({ rules }) });

const plainRules = (): PolicyRule[] => Array.from({ length: 100 }, (_, index): PolicyRule => ({
  id: `r${index}`, action: 'allow',
  match: index % 3 === 0 ? { tool_name: `op${index}` } : index % 3 === 1 ? { provider: `p${index}`, risk: 'high' } : { tool_name: `op${index}`, provider: `p${index}`, kind: 'resource' },
}));

/** Five an operation, of which the first mostly decides. */
function conditionedRules(): PolicyRule[] {
  return Array.from({ length: CONDITIONED }, (_, index): PolicyRule => {
    const place = Math.floor(index / OPERATIONS);
    return {
      id: `r${index}`, action: place % 2 ? 'deny' : 'allow', match: { tool_name: `op${index % OPERATIONS}` },
      when: `input.path.startsWith("/srv/") && input.size < ${1_000 + index}`,
      ...(place === 0 ? {} : { over: `r${index - OPERATIONS}` }),
    };
  });
}

/** None of them ever holds, and each looks for what is not there. */
const worstRules = (): PolicyRule[] => Array.from({ length: CONDITIONED }, (_, index): PolicyRule => ({
  id: `r${index}`, action: 'allow', match: { tool_name: 'op' }, when: `input.missing.member == "x${index}" || input.other > ${index}`,
  ...(index === 0 ? {} : { over: `r${index - 1}` }),
}));

const hungryRules = (): PolicyRule[] => Array.from({ length: CONDITIONED }, (_, index): PolicyRule => ({
  id: `r${index}`, action: 'allow', match: { tool_name: 'op' }, when: `input.list.exists(x, input.list.exists(y, x + y < -${index}.5)) || input.text.matches("(a+)+[bc]*${index}$")`,
  ...(index === 0 ? {} : { over: `r${index - 1}` }),
}));

const hungryFacts = (): ItemFacts => ({ ...factsOf('files', 'op', 0), input: { list: Array.from({ length: 38 }, (_, index) => index), text: 'a'.repeat(1_500) } });

function factsOf(provider: string, name: string, index: number, risk: 'low' | 'high' = 'low'): ItemFacts {
  return {
    item: { kind: 'resource', category: 'tool', provider, name, risk }, input: { path: `/srv/${index}`, size: index % 900 }, inputDigest: `${index}`,
    session: { id: 's1', agent: 'coder', profile: 'default', kind: 'chat', permissionMode: 'default', openedBy: 'ci', openedAt: '2026-01-01T00:00:00.000Z', ended: false, grants: [] },
    tenant: { id: 'acme', bypassPermissions: false }, now: '2026-01-01T12:00:00.000Z',
  };
}

function perSecond(policy: CompiledPolicy, items: readonly ItemFacts[], count: number): number {
  const started = performance.now();
  let found = 0;
  for (let judged = 0; judged < count; judged += 1) if (judge(policy, items[judged % items.length]!).rule) found += 1;
  if (found === 0) throw new Error('no rule ever matched: this measures nothing');
  return (count * 1_000) / (performance.now() - started);
}

/** The first round warms up. */
function best(rounds: number, round: () => number): number {
  round();
  return Math.max(...Array.from({ length: rounds }, round));
}

function msOf(work: () => unknown): number {
  const started = performance.now();
  work();
  return performance.now() - started;
}

const leastMs = (rounds: number, work: () => unknown): number => Math.min(...Array.from({ length: rounds }, () => msOf(work)));
const slowest = (rounds: number, policy: CompiledPolicy, facts: ItemFacts): number => {
  judge(policy, facts);
  return Math.max(...Array.from({ length: rounds }, () => msOf(() => judge(policy, facts))));
};

/** Of the rules whose match fits, those before the one that decides, and it. */
function conditionsAnItem(policy: CompiledPolicy, items: readonly ItemFacts[]): number {
  const { rules } = policy.rules.bundle;
  const places = items.map((facts) => {
    const fitting = rules.filter(({ match }) => match.tool_name === facts.item.name).reverse();
    return fitting.findIndex(({ id }) => id === judge(policy, facts).rule) + 1;
  });
  return places.reduce((sum, place) => sum + place, 0) / items.length;
}
