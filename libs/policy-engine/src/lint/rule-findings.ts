import type { PolicyBundle, PolicyLayer, PolicyRule } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { compileCondition } from '../cel/condition.js';
import { ruleOrder } from '../order-rules.js';
import { matchText } from '../rule-tuple.js';
import type { Report } from './report.js';
import { combinationsOf, shadowedRules } from './shadowing.js';

/** What each rule says of itself. */
export function reportEachRule({ rules }: PolicyBundle, layer: PolicyLayer, report: Report): void {
  rules.forEach((rule, index) => {
    if (report.full) return;
    const at = `/rules/${index}`;
    if (rule.when !== undefined) reportCondition(rule, `${at}/when`, report);
    if (layer === 'guardrails' && rule.action === 'allow') {
      report.error('invalid', `${at}/action`, `Guardrail ${rule.id} allows; guardrails only ask or deny`, 'Move it to the rules, or let it ask.', { rules: [rule.id] });
    }
    reportMatch(rule, at, report);
  });
}

function reportCondition({ id, when }: PolicyRule, path: string, report: Report): void {
  try {
    compileCondition(when!);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    report.error('bad_expression', path, `Rule ${id}: ${error.message}`, 'Conditions are CEL over input, item, session, agent, tenant and now.', { rules: [id] });
  }
}

function reportMatch({ id, match, action, when }: PolicyRule, at: string, report: Report): void {
  const about = { rules: [id] };
  if (Object.keys(match).length === 0 && when === undefined) {
    report.warning('empty_match', `${at}/match`, `Rule ${id} has an empty match: it matches every item`, 'Name what it is meant for, or keep it as the last resort that it is.', about);
  }
  const calls = combinationsOf(match);
  if (calls.length === 0) {
    report.warning('matches_nothing', `${at}/match`, `Rule ${id} matches nothing: no call is ${matchText(match)}`, 'Only reads and interactive calls are read_only, and they are nothing else.', about);
  } else if (action === 'ask' && calls.every(({ kind }) => kind !== 'resource')) {
    report.warning('pointless_ask', `${at}/action`, `Rule ${id} asks about calls that nobody can be asked about: its ask becomes deny`, 'Say deny, or match resources.', about);
  }
}

/** What the rules say to each other. */
export function reportTogether(bundle: PolicyBundle, report: Report): void {
  const { rules } = bundle;
  const places = new Map(rules.map(({ id }, index) => [id, index]));
  try {
    const { order, conflicts } = ruleOrder(rules);
    for (const ids of conflicts) reportConflict(ids, places, report);
    if (conflicts.length === 0) reportShadowed(order, places, report);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const { path, problem } = error.details as { path: string; problem: string };
    report.error('invalid', path, problem, 'Name rules of the same rank, that is with the same fields given.');
  }
  reportProfiles(bundle, report);
}

function reportConflict(ids: readonly string[], places: ReadonlyMap<string, number>, report: Report): void {
  const at = places.get(ids.at(-1)!)!;
  report.error('conflict', `/rules/${at}`, `Rules ${ids.join(' and ')} are of one rank and can match the same call`,
    `Make one of them narrower, or let one say over: ${ids[0]}.`, { rules: ids });
}

function reportShadowed(order: readonly PolicyRule[], places: ReadonlyMap<string, number>, report: Report): void {
  for (const [rule, takers] of shadowedRules(order)) {
    const ids = takers.map(({ id }) => id);
    report.warning('shadowed', `/rules/${places.get(rule.id)!}`, `Rule ${rule.id} can never win: ${ids.join(', ')} ${ids.length === 1 ? 'takes' : 'take'} every call that it matches`,
      'Remove it, or make what goes before it narrower.', { rules: [rule.id, ...ids] });
  }
}

function reportProfiles({ profiles = {}, rules }: PolicyBundle, report: Report): void {
  const used = new Set(rules.map(({ profile }) => profile));
  for (const [name, { headless }] of Object.entries(profiles)) {
    if (headless || used.has(name)) continue;
    report.warning('unused_profile', `/profiles/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, `Profile ${name} does nothing: no rule is for it, and it is not headless`,
      'Remove it, or say what it is for.', { key: true });
  }
}
