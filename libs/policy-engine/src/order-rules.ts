import type { PolicyRule } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { parseGlob, type Glob } from './globs.js';
import { FILLED, TUPLE_FIELDS, filled, fillOf, globsOfMatchMeet, matchText, rankOf } from './rule-tuple.js';
import { refused } from './validate-bundle.js';

/** Named together in one report of conflicts; there may be as many as pairs of rules. */
const MOST_CONFLICTS = 100;

export interface RuleOrder {
  /** As they win: by rank, within a rank as `over` says. Where neither parts two rules no item matches both. */
  readonly order: readonly PolicyRule[];
  /** Rules that tie and can both match, the earlier one in the file first; or the members of a circle of `over`. */
  readonly conflicts: readonly (readonly string[])[];
}

/**
 * The total order of a bundle's rules, and what stands in its way.
 * @throws GateError POLICY_INVALID for an `over` that names no rule of the same rank
 */
export function ruleOrder(rules: readonly PolicyRule[]): RuleOrder {
  const places = new Map(rules.map((rule, index) => [rule.id, index]));
  const ranks = new Map<number, PolicyRule[]>();
  rules.forEach((rule, index) => {
    checkOver(rules, places, rule, index);
    const rank = rankOf(rule);
    const tied = ranks.get(rank);
    if (tied) tied.push(rule);
    else ranks.set(rank, [rule]);
  });
  const tiers = [...ranks].sort(([a], [b]) => b - a).map(([, tied]) => orderTied(tied));
  const place = ([id]: readonly string[]): number => places.get(id!)!;
  return { order: tiers.flatMap(({ order }) => order), conflicts: tiers.flatMap(({ conflicts }) => conflicts).sort((a, b) => place(a) - place(b)).slice(0, MOST_CONFLICTS) };
}

/** @throws GateError POLICY_INVALID, POLICY_CONFLICT naming the rules of the first conflict */
export function orderRules(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const { order, conflicts: [conflict] } = ruleOrder(rules);
  if (!conflict) return order;
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  throw new GateError('POLICY_CONFLICT', conflictText(conflict.map((id) => byId.get(id)!)), { rules: conflict });
}

function conflictText([one, other, ...rest]: readonly PolicyRule[]): string {
  if (other === undefined) return `Rule ${one!.id} says over: itself`;
  if (rest.length > 0 || (goesBefore(one!, other) && goesBefore(other, one!))) return `Rules ${[one!, other, ...rest].map((rule) => rule.id).join(', ')} go before each other in a circle`;
  const [a, b] = [matchText(one!.match), matchText(other.match)];
  if (a === b && one!.when === undefined) return `Rules ${one!.id} and ${other.id} match the same (${a}); keep one of them, or let one say over: the other`;
  return `Rules ${one!.id} (${a}) and ${other.id} (${b}) are of one rank and can match the same call; let one say over: the other`;
}

export const overOf = ({ over }: PolicyRule): readonly string[] => (over === undefined ? [] : typeof over === 'string' ? [over] : over);
const goesBefore = (one: PolicyRule, other: PolicyRule): boolean => overOf(one).includes(other.id);

function checkOver(rules: readonly PolicyRule[], places: ReadonlyMap<string, number>, rule: PolicyRule, index: number): void {
  for (const id of overOf(rule)) {
    const other = places.get(id);
    if (other === undefined) throw refused(`/rules/${index}/over`, `there is no rule ${id}`);
    if (rankOf(rules[other]!) !== rankOf(rule)) throw refused(`/rules/${index}/over`, `rule ${id} is of another rank, which alone decides between them`);
  }
}

/** Rules of one rank: what goes before what, then every pair that nothing parts. */
function orderTied(tied: readonly PolicyRule[]): { order: PolicyRule[]; conflicts: string[][] } {
  if (tied.length === 1 && tied[0]!.over === undefined) return { order: [...tied], conflicts: [] };
  const { order, circle } = sortByOver(tied);
  if (circle.length > 0) return { order: [...tied], conflicts: [circle] };
  const before = reachable(order);
  const fileOrder = new Map(tied.map((rule, index) => [rule, index]));
  const conflicts = bucketsOf(order).flatMap((bucket) => pairsThatMeet(bucket, order.length, before))
    .map(([a, b]) => [order[a]!, order[b]!].sort((one, other) => fileOrder.get(one)! - fileOrder.get(other)!).map(({ id }) => id));
  return { order, conflicts };
}

/** Every rule behind those that go before it, else in the order of the file. */
function sortByOver(tied: readonly PolicyRule[]): { order: PolicyRule[]; circle: string[] } {
  const byId = new Map(tied.map((rule) => [rule.id, rule]));
  const waits = new Map(tied.map((rule) => [rule.id, 0]));
  for (const rule of tied) for (const id of overOf(rule)) waits.set(id, waits.get(id)! + 1);
  const ready = tied.filter(({ id }) => waits.get(id) === 0);
  const order: PolicyRule[] = [];
  for (let rule = ready.shift(); rule; rule = ready.shift()) {
    order.push(rule);
    for (const id of overOf(rule)) {
      waits.set(id, waits.get(id)! - 1);
      if (waits.get(id) === 0) ready.push(byId.get(id)!);
    }
  }
  return { order, circle: tied.filter(({ id }) => waits.get(id)! > 0).map(({ id }) => id) };
}

/** For each rule of a sorted list a bit for every rule that it goes before, directly or through others. */
function reachable(order: readonly PolicyRule[]): Uint32Array[] {
  const words = Math.ceil(order.length / 32);
  const places = new Map(order.map(({ id }, index) => [id, index]));
  const before = order.map(() => new Uint32Array(words));
  for (let index = order.length - 1; index >= 0; index -= 1) {
    for (const id of overOf(order[index]!)) {
      const other = places.get(id)!;
      before[index]![other >>> 5]! |= 1 << (other & 31);
      before[other]!.forEach((bits, word) => void (before[index]![word]! |= bits));
    }
  }
  return before;
}

interface Placed { readonly rule: PolicyRule; readonly index: number; readonly globs: readonly (Glob | undefined)[] }

/** Rules of one rank give the same places exactly; those that give them other values never match the same item. */
function bucketsOf(order: readonly PolicyRule[]): Placed[][] {
  const buckets = new Map<string, Placed[]>();
  order.forEach((rule, index) => {
    const exact = TUPLE_FIELDS.map((field) => (filled(rule.match, field) === FILLED.exact ? fillOf(rule.match, field) : null));
    const globs = (['tool_name', 'provider'] as const).map((field) => (filled(rule.match, field) === FILLED.pattern ? parseGlob(rule.match[field]!) : undefined));
    const key = JSON.stringify(exact);
    const placed = { rule, index, globs };
    const bucket = buckets.get(key);
    if (bucket) bucket.push(placed);
    else buckets.set(key, [placed]);
  });
  return [...buckets.values()];
}

function pairsThatMeet(bucket: readonly Placed[], rules: number, before: readonly Uint32Array[]): [number, number][] {
  const pairs: [number, number][] = [];
  for (let first = 0; first < bucket.length && pairs.length < Math.max(MOST_CONFLICTS, rules); first += 1) {
    const one = bucket[first]!;
    const reach = before[one.index]!;
    for (let second = first + 1; second < bucket.length; second += 1) {
      const other = bucket[second]!;
      if ((reach[other.index >>> 5]! & (1 << (other.index & 31))) !== 0) continue;
      if (one.rule.profile !== undefined && other.rule.profile !== undefined && one.rule.profile !== other.rule.profile) continue;
      if (globsOfMatchMeet(one.globs, other.globs)) pairs.push([one.index, other.index]);
    }
  }
  return pairs;
}
