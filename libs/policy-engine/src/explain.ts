import type { Explained, MatchedRule } from '@countersign/contracts';
import type { CompiledBundle } from './compile-bundle.js';
import { standingKey, type CompiledPolicy } from './compile-policy.js';
import type { ItemFacts, LayeredVerdict } from './facts.js';
import { judge } from './judge.js';
import { isWithin } from './narrow.js';
import { RuleFinder } from './rule-finding.js';
import { rankText } from './rule-tuple.js';

/**
 * Why one item is judged as it is: every rule that matched, in the order of rank, guardrails first, and what won. The same
 * judgement as `judge`, for people; not for the hot path.
 */
export function explain(policy: CompiledPolicy, facts: ItemFacts): Omit<Explained, 'bundle' | 'guardrails'> {
  const { expiresInMs: _, ...verdict } = judge(policy, facts);
  const matched = [
    ...(policy.guardrails ? matchedIn(policy.guardrails, 'guardrails', facts) : []),
    ...standingMatched(policy, facts, verdict),
    ...matchedIn(policy.rules, 'rules', facts),
  ];
  return { ...verdict, matched, why: whyOf(verdict, matched) };
}

/** The first one that matches has won its layer; a condition that did not hold is shown, because its author will ask. */
function matchedIn(bundle: CompiledBundle, layer: 'rules' | 'guardrails', facts: ItemFacts): MatchedRule[] {
  let won = false;
  return [...new RuleFinder(facts).all(bundle)].map(({ rule: { rule }, when, matches }) => {
    const first = matches && !won;
    won ||= first;
    return { rule: rule.id, layer, action: rule.action, rank: rankText(rule), ...(when === undefined ? {} : { when }), won: first };
  });
}

function standingMatched({ standing }: CompiledPolicy, facts: ItemFacts, { layers }: Pick<LayeredVerdict, 'layers'>): MatchedRule[] {
  const { session: { profile }, item: { provider, name }, now } = facts;
  const by = layers.find(({ layer }) => layer === 'policy')?.by;
  return (standing.get(standingKey({ profile, provider, operation: name })) ?? [])
    .filter(({ grant }) => isWithin(grant.narrow, facts) && (grant.expiresAt === undefined || Date.parse(now) < Date.parse(grant.expiresAt)))
    .map(({ grantId, grant, activatedAt }) => ({
      rule: grantId, layer: 'standing' as const, action: grant.decision, won: by === `standing:${grantId}`,
      rank: `a person's standing answer since ${activatedAt}${grant.narrow ? ', narrowed by a condition' : ''}`,
    }));
}

const LAYER_WORDS = {
  guardrail_deny: 'a guardrail denies it, and nothing outranks a guardrail', session: 'nothing of this session is allowed now', mode: 'the session is in plan mode',
  headless: 'nobody is there to answer an interactive call of this profile', session_deny: 'a person denied it for the rest of this session',
  policy: 'the rules decide', veto: 'an external check denied it or gave no answer', session_allow: 'a person allowed it for the rest of this session',
  permission_mode: 'the session’s permission mode lifts the ask', guardrail_ask: 'a guardrail asks, and no grant lifts that', dont_ask: 'the session is not asked about anything: what would be asked is denied',
} as const;

function whyOf({ decision, decidedBy, layers, downgraded }: Pick<LayeredVerdict, 'decision' | 'decidedBy' | 'layers' | 'downgraded'>, matched: readonly MatchedRule[]): string {
  const deciding = layers.find(({ by }) => by === decidedBy);
  const winner = matched.find(({ won, rule }) => won && decidedBy.endsWith(`:${rule}`));
  const why = deciding?.layer === 'policy' ? policyWords(decidedBy, winner) : LAYER_WORDS[deciding?.layer ?? 'policy'];
  return `${decision} by ${decidedBy}: ${why}${downgraded ? '; nobody can be asked about a read or an interactive call, so its ask became deny' : ''}.`;
}

function policyWords(decidedBy: string, winner: MatchedRule | undefined): string {
  if (!winner) return decidedBy === 'policy:default' ? 'no rule matched, so the default for this kind of call holds' : LAYER_WORDS.policy;
  if (winner.layer === 'standing') return winner.rank;
  const condition = winner.when === 'error' ? '; its condition could not be evaluated, which never allows' : '';
  return `of the rules that match it is the most specific one (${winner.rank})${condition}`;
}
