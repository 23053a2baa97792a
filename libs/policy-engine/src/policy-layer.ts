import type { LayerFinding, Verdict } from '@countersign/contracts';
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
  readonly rule?: string | undefined;
  readonly downgraded?: true | undefined;
  readonly message?: string | undefined;
  readonly obligations: Obligations;
  /** An allow that rests on a grant narrowed by a condition. */
  readonly narrowed: boolean;
  readonly finding: LayerFinding;
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
  return lifted.says === 'ask' && facts.item.kind !== 'resource' ? downgrade(lifted) : lifted;
}

interface Said { readonly says: Verdict; readonly by: string; readonly rule?: string; readonly message?: string | undefined; readonly obligations?: Obligations; readonly narrowed?: boolean }

const saying = ({ says, by, rule, message, obligations = DEFAULT_OBLIGATIONS, narrowed = false }: Said): PolicySaying => ({
  says, by, rule, downgraded: undefined, message, obligations, narrowed, finding: { layer: 'policy', says, by },
});

const downgrade = (said: PolicySaying): PolicySaying => ({ ...said, says: 'deny', downgraded: true, finding: { layer: 'policy', says: 'deny', by: said.by, downgraded: true } });

/** What a rule says by itself never changes. */
const SAYINGS = new WeakMap<CompiledRule, PolicySaying>();

function byRule(compiled: CompiledRule): PolicySaying {
  const known = SAYINGS.get(compiled);
  if (known) return known;
  const { rule: { action, id, message }, by, obligations } = compiled;
  const made = saying({ says: action, by, rule: id, message, obligations });
  SAYINGS.set(compiled, made);
  return made;
}

const ASKED = saying({ says: 'ask', by: 'policy:default' });
const ALLOWED = saying({ says: 'allow', by: 'policy:default' });

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

const byStanding = ({ grantId, grant }: StandingRule, says: 'allow' | 'deny'): PolicySaying => saying({
  says, by: `standing:${grantId}`, rule: grantId, message: says === 'deny' ? grant.reason : undefined, narrowed: says === 'allow' && grant.narrow !== undefined,
});
