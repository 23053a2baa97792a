import { isDeepStrictEqual } from 'node:util';
import { PERMISSION_MODES, RISK_CLASSES, TOOL_KINDS, type GrantNarrow, type Json, type PolicyRule } from '@countersign/contracts';
import { isGateError } from '@countersign/kernel';
import fc from 'fast-check';
import { factsOf } from './testing/given-facts.js';
import { goesOver, naive, tupleOf, type NaivePolicy } from '../test/naive.js';
import { compileBundle, compilePolicy, explain, judge, ruleFingerprint, type ItemFacts, type StandingRule } from './index.js';

const names = ['ab', 'abc', 'b', '__proto__'];
const word = fc.constantFrom(...names);
const pattern = fc.constantFrom('*', 'a*', '*b', 'a*c', 'ab*', '*__', 'b*');
const place = fc.oneof({ weight: 3, arbitrary: word }, { weight: 2, arbitrary: pattern });
const profile = fc.constantFrom('day', 'night');

/** Conditions with the same said in TypeScript; undefined is an error. */
const CONDITIONS: Readonly<Record<string, (facts: ItemFacts) => boolean | undefined>> = {
  'input.n > 3': ({ input }) => (typeof (input as { n?: unknown } | undefined)?.n === 'number' ? (input as { n: number }).n > 3 : undefined),
  'input.path.startsWith("/w")': ({ input }) => (typeof (input as { path?: unknown } | undefined)?.path === 'string' ? (input as { path: string }).path.startsWith('/w') : undefined),
  'item.risk == "high" || session.profile == "night"': ({ item, session }) => item.risk === 'high' || session.profile === 'night',
  'session.permission_mode == "plan"': ({ session }) => session.permissionMode === 'plan',
  '1 / 0 == 1': () => undefined,
  true: () => true,
};

/** Few places are given, so that many rules tie. */
const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
const match = fc.record({ tool_name: fc.option(place, { nil: undefined, freq: 3 }), provider: seldom(place), kind: seldom(fc.constantFrom(...TOOL_KINDS)), how: fc.constantFrom('risk', 'risk_at_least'), class: seldom(fc.constantFrom(...RISK_CLASSES)) })
  .map(({ how, class: risk, ...rest }) => Object.fromEntries(Object.entries({ ...rest, [how]: risk }).filter(([, value]) => value !== undefined)));
const rulesOf = (actions: readonly ('allow' | 'ask' | 'deny')[], maxLength: number): fc.Arbitrary<PolicyRule[]> => fc.array(fc.record({
  match, action: fc.constantFrom(...actions), profile: fc.option(profile, { nil: undefined, freq: 3 }), when: fc.option(fc.constantFrom(...Object.keys(CONDITIONS)), { nil: undefined, freq: 2 }),
  narrowOnly: fc.boolean(), chained: fc.constantFrom(true, true, true, true, false),
}), { maxLength }).map((list) => list.map(({ match: of, action, profile: own, when, narrowOnly, chained }, index): PolicyRule & { chained: boolean } => ({
  id: `r${index}`, match: of as PolicyRule['match'], action, chained,
  ...(own === undefined ? {} : { profile: own }), ...(when === undefined ? {} : { when }), ...(action === 'ask' && narrowOnly ? { ask: { narrow_only: true } } : {}),
}))).map((list) => list.map(({ chained, ...rule }, index): PolicyRule => {
  // most ties are parted by an over to the tied rules behind, so that few bundles are refused
  const tied = list.slice(index + 1).filter((other) => isDeepStrictEqual(tupleOf(other), tupleOf(rule))).map(({ id }) => id);
  return tied.length === 0 || !chained ? rule : { ...rule, over: tied.length === 1 ? tied[0]! : tied };
}));

const input: fc.Arbitrary<Json> = fc.constantFrom<Json>({ n: 5, path: '/w/a' }, { n: 1, path: '/x' }, { n: 'many' }, {}, { path: '/w/../etc', n: 9 });
const narrow: fc.Arbitrary<GrantNarrow | undefined> = fc.constantFrom<GrantNarrow | undefined>(undefined, undefined, { kind: 'path_prefix', field: '/path', prefix: '/w' }, { kind: 'exact_input', inputDigest: factsOf({ item: { kind: 'resource', provider: 'a', name: 'a', risk: 'low' }, input: {} }).inputDigest });
const when = fc.constantFrom('2026-01-01T08:00:00.000Z', '2026-01-01T09:00:00.000Z', '2026-01-01T10:00:00.000Z');
const origin = { plan: 'p' as never, itemId: 'i1' as never };
const grant = fc.record({ provider: word, operation: word, decision: fc.constantFrom('allow' as const, 'allow' as const, 'deny' as const), narrow, by: fc.constantFrom('ann', 'ben') })
  .map(({ narrow: by, ...rest }) => ({ grantId: 'g', ...rest, ...(by ? { narrow: by } : {}), origin, at: '2026-01-01T00:00:00.000Z' }) as unknown as ItemFacts['session']['grants'][number]);
const standing = fc.array(fc.record({ profile, provider: word, operation: word, decision: fc.constantFrom('allow' as const, 'deny' as const), narrow, activatedAt: when, expires: fc.boolean() }), { maxLength: 6 })
  .map((list) => list.map(({ narrow: by, activatedAt, expires, ...rest }, index): StandingRule => ({
    grantId: `g${index}`, activatedAt, grant: { ...rest, author: 'ann' as never, origin, ...(by ? { narrow: by } : {}), ...(expires ? { expiresAt: '2026-01-02T00:00:00.000Z' } : {}) },
  })));

const facts: fc.Arbitrary<ItemFacts> = fc.record({
  item: fc.record({ kind: fc.constantFrom(...TOOL_KINDS), provider: word, name: word, risk: fc.constantFrom(...RISK_CLASSES), edit: fc.boolean(), planSafe: fc.boolean() }),
  input, noInput: fc.constantFrom(false, false, true), bypass: fc.boolean(), frozenBy: fc.option(fc.constant('ann'), { nil: undefined, freq: 8 }),
  session: fc.record({ profile, permissionMode: fc.constantFrom(...PERMISSION_MODES), ended: fc.constantFrom(false, false, false, true), grants: fc.array(grant, { maxLength: 3 }) }),
  limitReached: fc.option(fc.constantFrom('circuit_breaker' as const, 'doom_loop' as const), { nil: undefined, freq: 8 }),
  vetoes: fc.option(fc.array(fc.record({ subscriber: fc.constantFrom('dlp', 'cab'), says: fc.constantFrom('pass' as const, 'pass' as const, 'deny' as const, 'failed' as const) }), { maxLength: 2 }), { nil: undefined }),
  now: fc.constantFrom('2026-01-01T12:00:00.000Z', '2026-01-02T12:00:00.000Z'),
}).map(({ noInput, bypass, limitReached, vetoes, frozenBy, session, ...rest }) => factsOf({
  ...rest, ...(noInput ? { noInput: true as const } : {}), tenant: { bypassPermissions: bypass }, ...(frozenBy === undefined ? {} : { frozenBy }),
  session: { ...session, ...(limitReached ? { limitReached } : {}) },
  ...(vetoes ? { vetoes: vetoes.map((one) => ({ ...one, itemId: 'i1' as never, tookMs: 1 })) } : {}),
}));

/** Whether some item matches both, by trying every name of up to five letters that the patterns know. */
function tie(one: PolicyRule, other: PolicyRule, all: readonly PolicyRule[]): boolean {
  if (!isDeepStrictEqual(tupleOf(one), tupleOf(other)) || goesOver(one, other.id, all) || goesOver(other, one.id, all)) return false;
  if (one.profile && other.profile && one.profile !== other.profile) return false;
  if (one.match.kind !== other.match.kind || one.match.risk !== other.match.risk) return false;
  return (['tool_name', 'provider'] as const).every((field) => {
    const [a, b] = [one.match[field], other.match[field]];
    const regex = (text: string): RegExp => new RegExp(`^${text.replaceAll('*', '.*')}$`);
    return a === undefined || b === undefined || (a.includes('*') ? TEXTS.some((text) => regex(a).test(text) && regex(b).test(text)) : a === b);
  });
}
const LETTERS = ['a', 'b', 'c', '__'];
const TEXTS = LETTERS.reduce<string[]>((known) => [...new Set([...known, ...known.flatMap((text) => LETTERS.map((letter) => text + letter))])], ['']);

const policyOf = (rules: readonly PolicyRule[], guardrails: readonly PolicyRule[] | undefined, grants: readonly StandingRule[], times: Readonly<Record<string, string>>) => {
  const profiles = { night: { headless: true } };
  const published = Object.fromEntries(rules.filter(({ id }) => times[id] !== undefined).map((rule) => [ruleFingerprint(rule), times[rule.id]!]));
  const naivePolicy: NaivePolicy = {
    rules: { rules, profiles }, ...(guardrails ? { guardrails: { rules: guardrails } } : {}), standing: grants, condition: (text, of) => CONDITIONS[text]!(of),
    // rules that differ in their ids alone have one time
    publishedAt: Object.fromEntries(rules.filter((rule) => published[ruleFingerprint(rule)] !== undefined).map((rule) => [rule.id, published[ruleFingerprint(rule)]!])),
  };
  const compiled = () => compilePolicy({
    rules: compileBundle({ rules, profiles }), standing: grants, published,
    ...(guardrails ? { guardrails: compileBundle({ rules: guardrails }, { layer: 'guardrails' }) } : {}),
  });
  return { compiled, naivePolicy };
};

describe('judge', () => {
  it('says what a plain reading of the semantics says, in 100,000 random cases, and refuses just the bundles that conflict', () => {
    let compared = 0;
    let refused = 0;
    const decided = new Map<string, number>();
    fc.assert(fc.property(
      rulesOf(['allow', 'ask', 'deny'], 10), fc.option(rulesOf(['ask', 'deny'], 3), { nil: undefined }), standing,
      fc.array(fc.option(when, { nil: undefined }), { minLength: 10, maxLength: 10 }), fc.array(facts, { minLength: 40, maxLength: 40 }),
      (rules, guardrails, grants, times, items) => {
        const { compiled, naivePolicy } = policyOf(rules, guardrails, grants, Object.fromEntries(times.flatMap((time, index) => (time ? [[`r${index}`, time]] : []))));
        const conflicts = [rules, guardrails ?? []].some((list) => list.some((one, index) => list.slice(index + 1).some((other) => tie(one, other, list))));
        if (conflicts) {
          refused += 1;
          try {
            compiled();
          } catch (error) {
            return isGateError(error, 'POLICY_CONFLICT');
          }
          return false;
        }
        const policy = compiled();
        for (const item of items) {
          const { decision, decidedBy, layers } = judge(policy, item);
          const wanted = naive(naivePolicy, item);
          if (!isDeepStrictEqual({ decision, decidedBy, layers }, wanted)) expect({ decision, decidedBy, layers }).toEqual(wanted);
          compared += 1;
          const deciding = layers.find(({ by }) => by === decidedBy)!.layer;
          decided.set(deciding, (decided.get(deciding) ?? 0) + 1);
        }
        return true;
      },
    ), { numRuns: 3_600 });
    expect(compared).toBeGreaterThanOrEqual(100_000);
    expect(refused).toBeGreaterThan(100);
    expect([...decided.keys()].sort()).toEqual(['dont_ask', 'guardrail_ask', 'guardrail_deny', 'headless', 'mode', 'permission_mode', 'policy', 'session', 'session_allow', 'session_deny', 'veto']);
  });

  it('says the same twice, explains what it says, has terms on every ask and nothing else, and never allows what a layer denies', () => {
    fc.assert(fc.property(rulesOf(['allow', 'ask', 'deny'], 4), standing, facts, (rules, grants, item) => {
      fc.pre(!rules.some((one, index) => rules.slice(index + 1).some((other) => tie(one, other, rules))));
      const policy = policyOf(rules, undefined, grants, {}).compiled();
      const verdict = judge(policy, item);
      expect(judge(policy, item)).toStrictEqual(verdict);
      expect(explain(policy, item)).toMatchObject({ decision: verdict.decision, decidedBy: verdict.decidedBy, layers: verdict.layers });
      expect(verdict.terms !== undefined).toBe(verdict.decision === 'ask');
      expect(verdict.layers.some(({ by }) => by === verdict.decidedBy)).toBe(true);
      if (verdict.layers.some(({ says }) => says === 'deny')) expect(verdict.decision).toBe('deny');
    }), { numRuns: 2_000 });
  });

  it('throws nothing, whatever the input is', () => {
    const policy = compilePolicy({ rules: compileBundle({ rules: [{ id: 'a', match: {}, when: 'input.n > 3 && input.path.startsWith("/w")', action: 'deny' }] }) });
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      expect(['deny', 'ask']).toContain(judge(policy, { ...factsOf({ item: { kind: 'resource', provider: 'a', name: 'a', risk: 'low' } }), input: value as Json }).decision);
    }), { numRuns: 2_000 });
  });
});
