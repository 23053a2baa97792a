import { LIMITS, type AggregateKey, type Command, type Json, type ReserveGrant, type SessionGrant, type StandingGrant } from '@countersign/contracts';
import { grantIdOf } from '@countersign/domain-grant';
import { currentInputOf, type ItemState } from '@countersign/domain-plan';
import type { SessionState } from '@countersign/domain-session';
import { settingsOf } from '@countersign/domain-tenant';
import { GateError } from '@countersign/kernel';
import { compilePolicy, isWithin, judge, operatorRuleWithMatch, type CompiledPolicy, type ItemFacts } from '@countersign/policy-engine';
import { itemFactsOf, type TenantPolicy } from '@countersign/policy-view';

/** An answer for the session or for always, before it is given, with all that it would be judged by. */
export interface GrantProposal {
  readonly command: Command<ReserveGrant>;
  readonly key: AggregateKey;
  readonly item: ItemState;
  readonly session: SessionState;
  readonly policy: TenantPolicy;
  /** Undefined: lost. */
  readonly input: Json | undefined;
  /** RFC 3339, UTC. */
  readonly now: string;
}

export function standingGrantOf({ command, item, session }: GrantProposal): StandingGrant {
  const { planId, itemId, decision, narrow, author, reason, expiresAt } = command;
  return {
    profile: session.opened?.profile ?? '', provider: item.operation.provider, operation: item.operation.name, decision,
    ...(narrow ? { narrow } : {}), author, ...(reason === undefined ? {} : { reason }), origin: { plan: planId, itemId },
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

/**
 * A tenant may keep no standing rules, an operator's rule of that match is not to be shadowed by a person's answer (a narrowed
 * grant has another match), and there is a most.
 * @throws GateError POLICY_STORE_READ_ONLY, STANDING_RULE_CONFLICT, AGGREGATE_TOO_LONG
 */
export function requireStandingAllowed(proposal: GrantProposal): void {
  const { policy, command } = proposal;
  if (!settingsOf(policy.tenant).standingGrants) throw new GateError('POLICY_STORE_READ_ONLY');
  const grant = standingGrantOf(proposal);
  const rule = command.narrow === undefined ? operatorRuleWithMatch(policy.compiled, grant) : undefined;
  if (rule !== undefined) {
    throw new GateError('STANDING_RULE_CONFLICT', `The rule ${rule} has exactly that match; narrow the grant by a condition, answer for the session, or change the rule`, { rule });
  }
  const others = (policy.parts.standing ?? []).filter(({ grantId }) => grantId !== grantIdOf(grant));
  if (others.length >= LIMITS.standingGrants) throw new GateError('AGGREGATE_TOO_LONG', `This tenant has ${others.length} standing grants, which is the most; revoke one, or write a rule`);
}

/**
 * A grant that would not give its verdict for the very item that it is given for is refused.
 * @throws GateError NARROW_INVALID, GRANT_INEFFECTIVE with who wins in `details.decidedBy`
 */
export function requireEffect(proposal: GrantProposal): void {
  const { command, key, item, session, policy, input, now } = proposal;
  const facts = itemFactsOf(item, { key, session, tenant: policy.tenant, now, input });
  if (!isWithin(command.narrow, facts)) throw new GateError('NARROW_INVALID', undefined, { itemId: item.itemId, inputDigest: currentInputOf(item).digest });
  const { decision, decidedBy } = command.scope === 'session'
    ? judge(policy.compiled, withSessionGrant(facts, proposal))
    : judge(withStandingGrant(proposal), facts);
  if (decision === command.decision) return;
  throw new GateError('GRANT_INEFFECTIVE', `With the grant this item would still be ${decision} by ${decidedBy}; answer once`, { itemId: item.itemId, decision, decidedBy });
}

function withSessionGrant(facts: ItemFacts, { command, item, now }: GrantProposal): ItemFacts {
  const { planId, itemId, decision, narrow, author } = command;
  const grant: SessionGrant = {
    grantId: 'proposed', provider: item.operation.provider, operation: item.operation.name, decision, ...(narrow ? { narrow } : {}), by: author,
    origin: { plan: planId, itemId }, at: now,
  };
  return { ...facts, session: { ...facts.session, grants: [...facts.session.grants, grant] } };
}

/** In force from now; what the same match said before gives way to it. */
function withStandingGrant(proposal: GrantProposal): CompiledPolicy {
  const { policy: { parts }, now } = proposal;
  const grant = standingGrantOf(proposal);
  const grantId = grantIdOf(grant);
  const others = (parts.standing ?? []).filter((other) => other.grantId !== grantId);
  return compilePolicy({ ...parts, standing: [...others, { grantId, grant, activatedAt: now }] });
}
