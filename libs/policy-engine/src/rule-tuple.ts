import { RISK_CLASSES, type PolicyMatch, type PolicyRule, type RiskClass } from '@countersign/contracts';
import { globMatches, globsMeet, isGlob, parseGlob, type Glob } from './globs.js';

/** The places of the tuple, most specific first: rules are compared by how they fill them, in this order. */
export const TUPLE_FIELDS = ['tool_name', 'provider', 'risk', 'kind'] as const;
export type TupleField = (typeof TUPLE_FIELDS)[number];

/** What a rule is matched against. `tool_name` is the operation's name, for tools and slash commands alike. */
export type MatchValues = Readonly<Record<TupleField, string>>;

/** How a match fills one place: not at all, by a pattern (a glob, `risk_at_least`), exactly. A higher one is more specific. */
export const FILLED = { absent: 0, pattern: 1, exact: 2 } as const;
export type Filled = (typeof FILLED)[keyof typeof FILLED];

export function filled(match: PolicyMatch, field: TupleField): Filled {
  if (field === 'risk') return match.risk !== undefined ? FILLED.exact : match.risk_at_least !== undefined ? FILLED.pattern : FILLED.absent;
  const value = match[field];
  if (value === undefined) return FILLED.absent;
  return field !== 'kind' && isGlob(value) ? FILLED.pattern : FILLED.exact;
}

/** The text that fills a place; of two equal ones the rules' places are equal. */
export const fillOf = (match: PolicyMatch, field: TupleField): string | undefined =>
  field === 'risk' ? match.risk ?? match.risk_at_least : match[field];

/** One number for the whole tuple and, behind it, whether there is a condition. The higher one wins. */
export function rankOf({ match, when }: Pick<PolicyRule, 'match' | 'when'>): number {
  return TUPLE_FIELDS.reduce((rank, field) => rank * 3 + filled(match, field), 0) * 2 + (when === undefined ? 0 : 1);
}

const RISK_RANK = new Map<string, number>(RISK_CLASSES.map((risk, rank) => [risk, rank]));
export const riskAtLeast = (least: RiskClass, risk: string): boolean => (RISK_RANK.get(risk) ?? -1) >= RISK_RANK.get(least)!;

/** Whether a value fits the pattern that fills a place. */
export function patternOf(match: PolicyMatch, field: TupleField): (value: string) => boolean {
  if (field === 'risk') return (value) => riskAtLeast(match.risk_at_least!, value);
  const glob = parseGlob(fillOf(match, field)!);
  return (value) => globMatches(glob, value);
}

/** Whether some text matches both patterns at each place; rules of one rank have patterns at the same ones. */
export const globsOfMatchMeet = (one: readonly (Glob | undefined)[], other: readonly (Glob | undefined)[]): boolean =>
  one.every((glob, place) => glob === undefined || other[place] === undefined || globsMeet(glob, other[place]));

/** The given fields with their values as words, e.g. `tool_name=write_file, risk=high`; for messages. */
export const matchText = (match: PolicyMatch): string => {
  const given = (['tool_name', 'provider', 'risk', 'risk_at_least', 'kind'] as const)
    .filter((field) => match[field] !== undefined).map((field) => `${field}=${match[field]}`);
  return given.length === 0 ? 'everything' : given.join(', ');
};

/** Why a rule stands where it stands, e.g. `tool_name exact, provider by pattern, with a condition`. */
export function rankText({ match, when }: PolicyRule): string {
  const given = TUPLE_FIELDS.filter((field) => filled(match, field) !== FILLED.absent)
    .map((field) => (filled(match, field) === FILLED.exact ? `${field} exact` : field === 'risk' ? 'risk from a class upwards' : `${field} by pattern`));
  return [...(given.length === 0 ? ['nothing given'] : given), ...(when === undefined ? [] : ['with a condition'])].join(', ');
}
