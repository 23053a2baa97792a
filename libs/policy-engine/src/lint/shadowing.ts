import { RISK_CLASSES, type PolicyMatch, type PolicyRule, type RiskClass, type ToolKind } from '@countersign/contracts';
import { isGlob, parseGlob } from '../globs.js';
import { riskAtLeast } from '../rule-tuple.js';

interface Combination { readonly kind: ToolKind; readonly risk: RiskClass }

/** `read_only` is mandatory for reads and interactive calls and forbidden for resources: there are no others. */
const COMBINATIONS: readonly Combination[] = [
  ...RISK_CLASSES.filter((risk) => risk !== 'read_only').map((risk) => ({ kind: 'resource', risk }) as const),
  { kind: 'data_source', risk: 'read_only' }, { kind: 'interactive', risk: 'read_only' },
];

const fits = ({ kind, risk, risk_at_least }: PolicyMatch, call: Combination): boolean =>
  (kind === undefined || kind === call.kind) && (risk === undefined || risk === call.risk) && (risk_at_least === undefined || riskAtLeast(risk_at_least, call.risk));

/** Kinds and risks of calls that the match lets in; none: it matches nothing. */
export const combinationsOf = (match: PolicyMatch): readonly Combination[] => COMBINATIONS.filter((call) => fits(match, call));

/**
 * For each rule that can never win, the rules before it that take every call from it. Sound and not complete: what it names
 * cannot win; a rule that only conditions keep from winning is not named.
 * @param order the rules as they win
 */
export function shadowedRules(order: readonly PolicyRule[]): Map<PolicyRule, readonly PolicyRule[]> {
  const shadowed = new Map<PolicyRule, readonly PolicyRule[]>();
  const before = new Candidates();
  for (const rule of order) {
    const takers = combinationsOf(rule.match).map((call) => before.of(rule).find((one) => fits(one.match, call) && covers(one, rule)));
    if (takers.length > 0 && takers.every((one) => one !== undefined)) shadowed.set(rule, [...new Set(takers as PolicyRule[])]);
    before.add(rule);
  }
  return shadowed;
}

/** Rules without a condition, so that it is for certain that they take what they match. */
class Candidates {
  private readonly byName = new Map<string, PolicyRule[]>();
  private readonly byPattern: PolicyRule[] = [];

  add(rule: PolicyRule): void {
    if (rule.when !== undefined) return;
    const name = rule.match.tool_name;
    if (name === undefined || isGlob(name)) this.byPattern.push(rule);
    else this.byName.set(name, [...(this.byName.get(name) ?? []), rule]);
  }

  /** A rule of an exact name stands before every pattern, so only its own name can be before it. */
  of({ match: { tool_name: name } }: PolicyRule): readonly PolicyRule[] {
    return name !== undefined && !isGlob(name) ? this.byName.get(name) ?? [] : this.byPattern;
  }
}

function covers(wide: PolicyRule, narrow: PolicyRule): boolean {
  if (wide.profile !== undefined && wide.profile !== narrow.profile) return false;
  return (['tool_name', 'provider'] as const).every((field) => nameCovers(wide.match[field], narrow.match[field]));
}

/** Whether every text of the narrow one is one of the wide one. In doubt it is not. */
function nameCovers(wide: string | undefined, narrow: string | undefined): boolean {
  if (wide === undefined || wide === narrow || /^\*+$/.test(wide)) return true;
  if (narrow === undefined || !isGlob(wide)) return false;
  const { prefix, middle, suffix } = parseGlob(wide);
  const rest = isGlob(narrow) ? parseGlob(narrow) : { prefix: narrow, suffix: narrow, middle: [] };
  return middle.length === 0 && rest.prefix.startsWith(prefix) && rest.suffix.endsWith(suffix) && narrow.replaceAll('*', '').length >= prefix.length + suffix.length;
}
