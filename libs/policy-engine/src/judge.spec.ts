import { isDeepStrictEqual } from 'node:util';
import { RISK_CLASSES, TOOL_KINDS, type PolicyMatch, type PolicyRule } from '@countersign/contracts';
import { isGateError } from '@countersign/kernel';
import fc from 'fast-check';
import { factsOf } from './testing/given-facts.js';
import { compileBundle, compilePolicy, judge, type CompiledBundle, type ItemFacts, type LayeredVerdict } from './index.js';

type JudgedCall = Pick<ItemFacts['item'], 'kind' | 'provider' | 'name' | 'risk'>;
type EvaluationResult = Pick<LayeredVerdict, 'decision' | 'decidedBy' | 'rule' | 'downgraded' | 'message'>;
const evaluate = (compiled: CompiledBundle, item: JudgedCall): EvaluationResult => {
  const { layers: _, terms: _terms, ...verdict } = judge(compilePolicy({ rules: compiled }), factsOf({ item }));
  return verdict;
};

/** The same semantics said as plainly as possible: try every rule, compare tuples one place after the other. */
function naive(rules: readonly PolicyRule[], call: JudgedCall): EvaluationResult {
  const holds = ({ tool_name, provider, risk, kind }: PolicyMatch): boolean =>
    (tool_name === undefined || tool_name === call.name) && (provider === undefined || provider === call.provider)
    && (risk === undefined || risk === call.risk) && (kind === undefined || kind === call.kind);
  const tuple = ({ match }: PolicyRule): number[] => [match.tool_name, match.provider, match.risk, match.kind].map((field) => (field === undefined ? 0 : 1));
  const moreSpecific = (one: PolicyRule, other: PolicyRule): number => {
    const [a, b] = [tuple(one), tuple(other)];
    const place = a.findIndex((given, index) => given !== b[index]);
    return place < 0 ? 0 : b[place]! - a[place]!;
  };
  const [rule] = rules.filter((candidate) => holds(candidate.match)).sort(moreSpecific);
  if (!rule) return { decision: call.kind === 'resource' ? 'ask' : 'allow', decidedBy: 'policy:default' };
  const result = { decision: rule.action, decidedBy: `policy:${rule.id}`, rule: rule.id, ...(rule.message === undefined ? {} : { message: rule.message }) };
  return rule.action === 'ask' && call.kind !== 'resource' ? { ...result, decision: 'deny', downgraded: true } : result;
}

const conflicting = (rules: readonly PolicyRule[]): boolean => rules.some((one, index) => rules.slice(index + 1).some((other) =>
  (['tool_name', 'provider', 'risk', 'kind'] as const).every((field) => one.match[field] === other.match[field])));

const word = fc.constantFrom('a', 'b', 'c', '__proto__');
const match: fc.Arbitrary<PolicyMatch> = fc.record(
  { tool_name: word, provider: word, risk: fc.constantFrom(...RISK_CLASSES), kind: fc.constantFrom(...TOOL_KINDS) }, { requiredKeys: [] },
);
const rules = fc.array(fc.record({ match, action: fc.constantFrom('allow' as const, 'ask' as const, 'deny' as const), message: fc.option(fc.constant('because'), { nil: undefined }) }), { maxLength: 14 })
  .map((list) => list.map(({ message, ...rule }, index): PolicyRule => ({ id: `r${index}`, ...rule, ...(message === undefined ? {} : { message }) })));
const call: fc.Arbitrary<JudgedCall> = fc.record({ name: word, provider: word, risk: fc.constantFrom(...RISK_CLASSES), kind: fc.constantFrom(...TOOL_KINDS) });

describe('evaluate', () => {
  it('says what trying every rule says, in 100,000 random cases, and refuses just the bundles that conflict', () => {
    let compared = 0;
    let refused = 0;
    fc.assert(fc.property(rules, fc.array(call, { minLength: 40, maxLength: 40 }), (list, calls) => {
      if (conflicting(list)) {
        refused += 1;
        try {
          compileBundle({ rules: list });
        } catch (error) {
          return isGateError(error, 'POLICY_CONFLICT');
        }
        return false;
      }
      const compiled = compileBundle({ rules: list });
      if (!calls.every((one) => isDeepStrictEqual(evaluate(compiled, one), naive(list, one)))) return false;
      compared += calls.length;
      return true;
    }), { numRuns: 5_000 });
    expect(compared).toBeGreaterThanOrEqual(100_000);
    expect(refused).toBeGreaterThan(100);
  });

  it('does not depend on the order of the rules', () => {
    fc.assert(fc.property(rules.filter((list) => !conflicting(list)), call, (list, one) => {
      expect(evaluate(compileBundle({ rules: [...list].reverse() }), one)).toStrictEqual(evaluate(compileBundle({ rules: list }), one));
    }));
  });

  it('gives no verdict on a kind that it does not know', () => {
    expect(() => evaluate(compileBundle({ rules: [] }), { kind: 'toString' as 'resource', provider: 'a', name: 'a', risk: 'low' })).toThrow(expect.objectContaining({ code: 'INTERNAL' }));
  });
});
