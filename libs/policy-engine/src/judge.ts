import type { LayerFinding, SessionGrant, Verdict } from '@countersign/contracts';
import type { CompiledPolicy } from './compile-policy.js';
import { DEFAULT_OBLIGATIONS, type CompiledRule, type Obligations } from './compile-rule.js';
import type { ItemFacts, LayeredVerdict } from './facts.js';
import { isWithin } from './narrow.js';
import { policySaying, type PolicySaying } from './policy-layer.js';
import { RuleFinder } from './rule-finding.js';
import { stricter, termsOf } from './terms.js';

/** Recorded with every verdict, so that a later engine is told apart. */
export const ENGINE_VERSION = 'layers-1';

/** What holds after a layer. */
interface Standing {
  readonly says: Verdict;
  readonly by: string;
  readonly rule?: string | undefined;
  readonly downgraded?: true | undefined;
  readonly message?: string | undefined;
  readonly obligations: Obligations;
  readonly onceOnly: boolean;
}

/**
 * Judges one item (`SEMANTICS` § 2): every layer is computed and recorded in their order, and the first that applies wins.
 * Pure; it never looks at anything but its arguments, and judging twice gives the same.
 * @throws GateError INTERNAL for a kind it does not know: no verdict, so the item stays pending
 */
export function judge(policy: CompiledPolicy, facts: ItemFacts): LayeredVerdict {
  return judgeBy(policy, facts, new RuleFinder(facts));
}

/** As `judge`, with the caller's own finder. */
export function judgeBy(policy: CompiledPolicy, facts: ItemFacts, finder: RuleFinder): LayeredVerdict {
  const layers: LayerFinding[] = [];
  const guardrail = policy.guardrails && finder.winner(policy.guardrails);
  let denied: Standing | undefined;
  const deny = (layer: LayerFinding['layer'], by: string | undefined, extra: { rule?: string; message?: string } = {}): void => {
    if (by === undefined) return;
    layers.push({ layer, says: 'deny', by });
    denied ??= { says: 'deny', by, ...extra, obligations: DEFAULT_OBLIGATIONS, onceOnly: false };
  };
  if (guardrail?.rule.action === 'deny') deny('guardrail_deny', guardrail.by, { rule: guardrail.rule.id, ...messageOf(guardrail.rule.message) });
  deny('session', sessionDenial(facts));
  if (facts.session.permissionMode === 'plan' && facts.item.kind === 'resource' && facts.item.planSafe !== true) deny('mode', 'mode:plan');
  if (facts.item.kind === 'interactive' && policy.headless.has(facts.session.profile)) deny('headless', 'profile:headless');
  const suppressing = grantOf(facts, 'deny');
  if (suppressing) deny('session_deny', `session:${suppressing.by}`, messageOf(suppressing.reason));
  const said = policySaying(policy, facts, finder);
  layers.push(said.finding);
  const afterPolicy: Standing = denied ?? standingAfter(said);
  return verdictOf(afterLifts(afterVetoes(afterPolicy, facts, layers), said, guardrail, facts, layers), layers);
}

/** One shape for all, since this is the hot path. */
const standingAfter = ({ says, by, rule, downgraded, message, obligations }: PolicySaying): Standing => ({ says, by, rule, downgraded, message, obligations, onceOnly: false });

function sessionDenial({ session, frozenBy }: ItemFacts): string | undefined {
  if (session.ended) return 'session:ended';
  if (frozenBy !== undefined) return `freeze:${frozenBy}`;
  return session.limitReached && (session.limitReached === 'doom_loop' ? 'loop' : 'breaker');
}

/** Layer 7: any answer that is not a pass denies. */
function afterVetoes(now: Standing, { item, vetoes = [] }: ItemFacts, layers: LayerFinding[]): Standing {
  const veto = item.kind === 'resource' ? vetoes.find(({ says }) => says !== 'pass') : undefined;
  if (!veto) return now;
  const by = `veto:${veto.subscriber}`;
  layers.push({ layer: 'veto', says: 'deny', by });
  return now.says === 'deny' ? now : { says: 'deny', by, ...messageOf(veto.message), obligations: DEFAULT_OBLIGATIONS, onceOnly: false };
}

/** Layers 8 to 11: what lifts an ask, what holds one, and who is not asked at all. */
function afterLifts(start: Standing, said: PolicySaying, guardrail: CompiledRule | undefined, facts: ItemFacts, layers: LayerFinding[]): Standing {
  const { item, session } = facts;
  let now = start;
  const lift = (layer: LayerFinding['layer'], by: string): void => {
    layers.push({ layer, says: 'allow', by });
    if (now.says === 'ask') now = { says: 'allow', by, obligations: now.obligations, onceOnly: false };
  };
  const granted = grantOf(facts, 'allow');
  if (granted) lift('session_allow', `session:${granted.by}`);
  if (liftedByMode(facts)) lift('permission_mode', `mode:${session.permissionMode}`);
  const narrowed = said.narrowed || granted?.narrow !== undefined;
  if (guardrail?.rule.action === 'ask') now = heldBy(guardrail, now, narrowed, facts, layers);
  if (session.permissionMode === 'dontAsk' && now.says === 'ask') {
    layers.push({ layer: 'dont_ask', says: 'deny', by: 'mode:dontAsk' });
    now = { says: 'deny', by: 'mode:dontAsk', ...messageOf(now.message), obligations: DEFAULT_OBLIGATIONS, onceOnly: false };
  }
  return item.kind === 'resource' || now.says !== 'ask' ? now : { ...now, says: 'deny', downgraded: true };
}

const liftedByMode = ({ item, session, tenant }: ItemFacts): boolean => item.kind === 'resource'
  && ((session.permissionMode === 'acceptEdits' && item.edit === true) || (session.permissionMode === 'bypassPermissions' && tenant.bypassPermissions));

/** Layer 10. A guardrail that demands narrow grants is the only one that a grant lifts, and only a narrow one. */
function heldBy({ rule, by, obligations }: CompiledRule, now: Standing, narrowed: boolean, { item }: ItemFacts, layers: LayerFinding[]): Standing {
  if (obligations.narrowOnly && narrowed && now.says === 'allow') return now;
  const downgraded = item.kind === 'resource' ? {} : { downgraded: true as const };
  const says = item.kind === 'resource' ? 'ask' : 'deny';
  layers.push({ layer: 'guardrail_ask', says, by, ...downgraded });
  if (now.says === 'deny') return now;
  return { says, by, rule: rule.id, ...downgraded, ...messageOf(rule.message ?? now.message), obligations: stricter(obligations, now.obligations), onceOnly: !obligations.narrowOnly };
}

/** Of the session's answers that say so and cover the item the newest, a narrow one before those of a whole operation. */
function grantOf(facts: ItemFacts, decision: SessionGrant['decision']): SessionGrant | undefined {
  const { item, session } = facts;
  if (session.grants.length === 0) return undefined;
  const covering = session.grants.filter((grant) => grant.decision === decision && grant.provider === item.provider && grant.operation === item.name && isWithin(grant.narrow, facts));
  return covering.findLast(({ narrow }) => narrow !== undefined) ?? covering.at(-1);
}

const messageOf = (message: string | undefined): { message?: string } => (message === undefined ? {} : { message });

function verdictOf({ says, by, rule, downgraded, message, obligations, onceOnly }: Standing, layers: readonly LayerFinding[]): LayeredVerdict {
  if (says === 'allow' && message === undefined) return rule === undefined ? { decision: says, decidedBy: by, layers } : { decision: says, decidedBy: by, rule, layers };
  return {
    decision: says, decidedBy: by,
    ...(rule === undefined ? {} : { rule }), ...(downgraded ? { downgraded } : {}), ...messageOf(message),
    ...(says === 'ask' ? { terms: termsOf(obligations, onceOnly), ...(obligations.expiresInMs === undefined || obligations.onTimeout === 'wait' ? {} : { expiresInMs: obligations.expiresInMs }) } : {}),
    layers,
  };
}
