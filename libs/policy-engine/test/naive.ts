import { RISK_CLASSES, type GrantNarrow, type LayerFinding, type PolicyBundle, type PolicyRule, type Verdict } from '@countersign/contracts';
import type { ItemFacts, StandingRule } from '../src/facts.js';

/**
 * The semantics again, said as plainly as possible and without anything of the engine: every rule is tried, tuples are
 * compared place by place, and conditions are functions that the spec gives beside their text.
 */
export interface NaivePolicy {
  readonly rules: PolicyBundle;
  readonly guardrails?: PolicyBundle;
  readonly standing: readonly StandingRule[];
  /** By rule id. */
  readonly publishedAt: Readonly<Record<string, string>>;
  /** What a condition comes to; undefined: an error. */
  readonly condition: (text: string, facts: ItemFacts) => boolean | undefined;
}

export interface NaiveVerdict { readonly decision: Verdict; readonly decidedBy: string; readonly layers: readonly LayerFinding[] }

const star = (pattern: string, text: string): boolean => {
  if (pattern === '') return text === '';
  if (pattern[0] === '*') return star(pattern.slice(1), text) || (text !== '' && star(pattern, text.slice(1)));
  return text !== '' && pattern[0] === text[0] && star(pattern.slice(1), text.slice(1));
};
const named = (pattern: string | undefined, text: string): boolean => pattern === undefined || (pattern.includes('*') ? star(pattern, text) : pattern === text);
const level = (risk: string): number => RISK_CLASSES.findIndex((known) => known === risk);

function matches({ match, profile, when, action }: PolicyRule, facts: ItemFacts, policy: NaivePolicy): boolean {
  const { name, provider, risk, kind } = facts.item;
  if (!named(match.tool_name, name) || !named(match.provider, provider)) return false;
  if (match.kind !== undefined && match.kind !== kind) return false;
  if (match.risk !== undefined && match.risk !== risk) return false;
  if (match.risk_at_least !== undefined && level(risk) < level(match.risk_at_least)) return false;
  if (profile !== undefined && profile !== facts.session.profile) return false;
  if (when === undefined) return true;
  const came = policy.condition(when, facts);
  return came === undefined ? action !== 'allow' : came;
}

const byName = (text: string | undefined): number => (text === undefined ? 0 : text.includes('*') ? 1 : 2);
export const tupleOf = ({ match, when }: PolicyRule): number[] => [
  byName(match.tool_name), byName(match.provider), match.risk !== undefined ? 2 : match.risk_at_least !== undefined ? 1 : 0, match.kind === undefined ? 0 : 2, when === undefined ? 0 : 1,
];

/** Positive: the first one wins. */
function compare(one: PolicyRule, other: PolicyRule, all: readonly PolicyRule[]): number {
  const [a, b] = [tupleOf(one), tupleOf(other)];
  for (let place = 0; place < a.length; place += 1) if (a[place] !== b[place]) return a[place]! - b[place]!;
  if (goesOver(one, other.id, all)) return 1;
  return goesOver(other, one.id, all) ? -1 : 0;
}

export function goesOver(rule: PolicyRule, id: string, all: readonly PolicyRule[]): boolean {
  const direct = rule.over === undefined ? [] : [rule.over].flat();
  return direct.includes(id) || direct.some((next) => goesOver(all.find((one) => one.id === next)!, id, all));
}

function winner(bundle: PolicyBundle, facts: ItemFacts, policy: NaivePolicy): PolicyRule | undefined {
  const matching = bundle.rules.filter((rule) => matches(rule, facts, policy));
  return matching.find((rule) => matching.every((other) => other === rule || compare(rule, other, bundle.rules) > 0));
}

const within = (narrow: GrantNarrow | undefined, { input, inputDigest }: ItemFacts): boolean => {
  if (narrow === undefined) return true;
  if (narrow.kind === 'exact_input') return narrow.inputDigest === inputDigest;
  if (narrow.kind === 'host') return false;
  const path = (input as { path?: unknown } | undefined)?.path;
  return typeof path === 'string' && !path.includes('..') && (path === narrow.prefix || path.startsWith(`${narrow.prefix}/`));
};

/** Layer by layer, as `SEMANTICS` § 2 counts them. */
export function naive(policy: NaivePolicy, facts: ItemFacts): NaiveVerdict {
  const { item, session, tenant } = facts;
  const layers: LayerFinding[] = [];
  const say = (layer: LayerFinding['layer'], says: Verdict, by: string, downgraded = false): void => void layers.push({ layer, says, by, ...(downgraded ? { downgraded: true as const } : {}) });
  const guardrail = policy.guardrails && winner(policy.guardrails, facts, policy);
  if (guardrail?.action === 'deny') say('guardrail_deny', 'deny', `guardrail:${guardrail.id}`);
  if (session.ended) say('session', 'deny', 'session:ended');
  else if (facts.frozenBy !== undefined) say('session', 'deny', `freeze:${facts.frozenBy}`);
  else if (session.limitReached) say('session', 'deny', session.limitReached === 'circuit_breaker' ? 'breaker' : 'loop');
  if (session.permissionMode === 'plan' && item.kind === 'resource' && !item.planSafe) say('mode', 'deny', 'mode:plan');
  if (item.kind === 'interactive' && (policy.rules.profiles?.[session.profile]?.headless || policy.guardrails?.profiles?.[session.profile]?.headless)) say('headless', 'deny', 'profile:headless');
  const grants = session.grants.filter((grant) => grant.provider === item.provider && grant.operation === item.name && within(grant.narrow, facts));
  const pick = (decision: 'allow' | 'deny') => {
    const those = grants.filter((grant) => grant.decision === decision);
    return those.filter(({ narrow }) => narrow).at(-1) ?? those.at(-1);
  };
  const [denies, allows] = [pick('deny'), pick('allow')];
  if (denies) say('session_deny', 'deny', `session:${denies.by}`);

  const rule = winner(policy.rules, facts, policy);
  let says: Verdict = rule ? rule.action : item.kind === 'resource' ? 'ask' : 'allow';
  let by = rule ? `policy:${rule.id}` : 'policy:default';
  let narrow = false;
  const standing = policy.standing
    .filter(({ grant }) => grant.profile === session.profile && grant.provider === item.provider && grant.operation === item.name && within(grant.narrow, facts) && (grant.expiresAt === undefined || facts.now < grant.expiresAt))
    .sort((a, b) => (a.activatedAt === b.activatedAt ? (a.grantId < b.grantId ? -1 : 1) : a.activatedAt < b.activatedAt ? 1 : -1));
  if (says !== 'deny') {
    const no = standing.find(({ grant }) => grant.decision === 'deny');
    const yes = standing.find(({ activatedAt }) => !(rule?.action === 'ask' && !((policy.publishedAt[rule.id] ?? '9999') <= activatedAt)));
    const chosen = no ?? yes;
    if (chosen) [says, by, narrow] = [chosen.grant.decision, `standing:${chosen.grantId}`, chosen.grant.decision === 'allow' && chosen.grant.narrow !== undefined];
  }
  const downgraded = says === 'ask' && item.kind !== 'resource';
  if (downgraded) says = 'deny';
  say('policy', says, by, downgraded);

  let [decision, decidedBy] = [layers[0]!.says, layers[0]!.by];
  if (decision !== 'deny') [decision, decidedBy] = [says, by];
  const veto = item.kind === 'resource' ? facts.vetoes?.find((answer) => answer.says !== 'pass') : undefined;
  if (veto) say('veto', 'deny', `veto:${veto.subscriber}`);
  if (veto && decision !== 'deny') [decision, decidedBy] = ['deny', `veto:${veto.subscriber}`];
  const lift = (layer: LayerFinding['layer'], who: string): void => {
    say(layer, 'allow', who);
    if (decision === 'ask') [decision, decidedBy] = ['allow', who];
  };
  if (allows) lift('session_allow', `session:${allows.by}`);
  const edits = session.permissionMode === 'acceptEdits' && item.edit === true;
  const bypasses = session.permissionMode === 'bypassPermissions' && tenant.bypassPermissions;
  if (item.kind === 'resource' && (edits || bypasses)) lift('permission_mode', `mode:${session.permissionMode}`);
  const reached = guardrail?.ask?.narrow_only && decision === 'allow' && (narrow || allows?.narrow);
  if (guardrail?.action === 'ask' && !reached) {
    const held = item.kind === 'resource' ? 'ask' : 'deny';
    say('guardrail_ask', held, `guardrail:${guardrail.id}`, held === 'deny');
    if (decision !== 'deny') [decision, decidedBy] = [held, `guardrail:${guardrail.id}`];
  }
  if (session.permissionMode === 'dontAsk' && decision === 'ask') {
    say('dont_ask', 'deny', 'mode:dontAsk');
    [decision, decidedBy] = ['deny', 'mode:dontAsk'];
  }
  return { decision, decidedBy, layers };
}
