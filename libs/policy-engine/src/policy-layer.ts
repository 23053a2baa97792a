import type { Verdict } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { standingKey, type CompiledPolicy } from './compile-policy.js';
import { DEFAULT_OBLIGATIONS, type CompiledRule, type Obligations } from './compile-rule.js';
import type { ItemFacts, StandingRule } from './facts.js';
import { isWithin } from './narrow.js';
import type { RuleFinder } from './rule-finding.js';

/** What the rules and the standing grants say together of one item. */
export interface PolicySaying {
  readonly says: Verdict;
  readonly by: string;
  readonly rule?: string;
  readonly downgraded?: true;
  readonly message?: string;
  readonly obligations: Obligations;
  /** An allow that rests on a grant narrowed by a condition. */
  readonly narrowed?: true;
}

/**
 * Layer 6: a rule's deny, then a standing deny, then an explicit ask published after the grant was activated, then a
 * standing allow, then the rule or the default. An ask about what nobody can be asked about becomes deny.
 * @throws GateError INTERNAL for a kind it does not know: no verdict, so the item stays pending
 */
export function policySaying(policy: CompiledPolicy, facts: ItemFacts, finder: RuleFinder): PolicySaying {
  const winner = finder.winner(policy.rules);
  const said = winner ? byRule(winner) : byDefault(facts);
  const lifted = said.says === 'deny' ? said : withStanding(policy, facts, winner, said);
  return lifted.says === 'ask' && facts.item.kind !== 'resource' ? { ...lifted, says: 'deny', downgraded: true } : lifted;
}

function byRule({ rule, by, obligations }: CompiledRule): PolicySaying {
  return { says: rule.action, by, rule: rule.id, obligations, ...(rule.message === undefined ? {} : { message: rule.message }) };
}

const ASKED: PolicySaying = { says: 'ask', by: 'policy:default', obligations: DEFAULT_OBLIGATIONS };
const ALLOWED: PolicySaying = { says: 'allow', by: 'policy:default', obligations: DEFAULT_OBLIGATIONS };

function byDefault({ item: { kind } }: ItemFacts): PolicySaying {
  switch (kind) {
    case 'resource': return ASKED;
    case 'data_source': case 'interactive': return ALLOWED;
    default: throw new GateError('INTERNAL', `There is no default for items of kind ${String(kind)}`);
  }
}

function withStanding(policy: CompiledPolicy, facts: ItemFacts, winner: CompiledRule | undefined, said: PolicySaying): PolicySaying {
  if (policy.standing.size === 0) return said;
  const grants = standingOf(policy, facts);
  const denied = grants.find(({ grant }) => grant.decision === 'deny');
  if (denied) return byStanding(denied, 'deny');
  const allowed = grants.find(({ activatedAt }) => !(winner?.rule.action === 'ask' && isNewer(policy.publishedAt(winner.rule), activatedAt)));
  return allowed ? byStanding(allowed, 'allow') : said;
}

/** Unknown times count as newer: an ask never gives way on a guess. */
const isNewer = (publishedAt: number, activatedAt: string): boolean => !(publishedAt <= Date.parse(activatedAt));

/** Those in force that cover the item, the newest first. */
function standingOf({ standing }: CompiledPolicy, facts: ItemFacts): StandingRule[] {
  const { item, session, now } = facts;
  const candidates = standing.get(standingKey({ profile: session.profile, provider: item.provider, operation: item.name })) ?? [];
  return candidates
    .filter(({ grant }) => (grant.expiresAt === undefined || Date.parse(now) < Date.parse(grant.expiresAt)) && isWithin(grant.narrow, facts))
    .sort((a, b) => Date.parse(b.activatedAt) - Date.parse(a.activatedAt) || (a.grantId < b.grantId ? -1 : 1));
}

const byStanding = ({ grantId, grant }: StandingRule, says: 'allow' | 'deny'): PolicySaying => ({
  says, by: `standing:${grantId}`, rule: grantId, obligations: DEFAULT_OBLIGATIONS,
  ...(says === 'deny' && grant.reason !== undefined ? { message: grant.reason } : {}),
  ...(says === 'allow' && grant.narrow !== undefined ? { narrowed: true as const } : {}),
});
