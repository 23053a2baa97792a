import { FILLED, TUPLE_FIELDS, filled, fillOf, patternOf, type MatchValues } from './rule-tuple.js';
import type { CompiledRule } from './compile-rule.js';

interface Pattern { readonly text: string; readonly fits: (value: string) => boolean; readonly level: Level }

/** One level of the index a place of the tuple; a leaf holds the rules of its tuple and values, first winner first. */
interface Level {
  readonly exact: Map<string, Level>;
  readonly patterns: Pattern[];
  absent: Level | undefined;
  readonly rules: CompiledRule[];
}

const newLevel = (): Level => ({ exact: new Map(), patterns: [], absent: undefined, rules: [] });
const DEPTH = TUPLE_FIELDS.length;

/** @returns whether it is the one that was looked for: then the search ends */
export type Visit = (rule: CompiledRule) => boolean;

/**
 * Rules by their values, four levels deep. At each level the exact value is looked up before the patterns that fit and those
 * before the level of what is not given, which is the lexicographic order of the tuple: rules are visited as they win.
 * Patterns that fit the same value are of one rank, so their levels are searched side by side.
 */
export class RuleIndex {
  private readonly root = newLevel();

  /** @param order as `orderRules` has them */
  constructor(order: readonly CompiledRule[]) {
    for (const compiled of order) {
      let level = this.root;
      for (const field of TUPLE_FIELDS) level = descend(level, compiled, field);
      level.rules.push(compiled);
    }
  }

  /** The first rule, of those whose match fits, that `visit` takes. */
  find(values: MatchValues, visit: Visit): CompiledRule | undefined {
    return search(this.root, values, 0, visit);
  }
}

function descend(level: Level, { rule: { match } }: CompiledRule, field: (typeof TUPLE_FIELDS)[number]): Level {
  const how = filled(match, field);
  if (how === FILLED.absent) return (level.absent ??= newLevel());
  const text = fillOf(match, field)!;
  if (how === FILLED.exact) {
    let next = level.exact.get(text);
    if (!next) level.exact.set(text, (next = newLevel()));
    return next;
  }
  let pattern = level.patterns.find((known) => known.text === text);
  if (!pattern) level.patterns.push((pattern = { text, fits: patternOf(match, field), level: newLevel() }));
  return pattern.level;
}

function search(level: Level, values: MatchValues, depth: number, visit: Visit): CompiledRule | undefined {
  if (depth === DEPTH) return firstTaken(level.rules, visit);
  const value = values[TUPLE_FIELDS[depth]!];
  const exact = level.exact.get(value);
  const found = exact && search(exact, values, depth + 1, visit);
  if (found) return found;
  if (level.patterns.length > 0) {
    const byPattern = searchAll(fitting([level], value), values, depth + 1, visit);
    if (byPattern) return byPattern;
  }
  return level.absent && search(level.absent, values, depth + 1, visit);
}

/** Levels of one rank, of which any may hold the next winner. */
function searchAll(levels: readonly Level[], values: MatchValues, depth: number, visit: Visit): CompiledRule | undefined {
  if (levels.length === 0) return undefined;
  if (levels.length === 1) return search(levels[0]!, values, depth, visit);
  if (depth === DEPTH) return firstTaken(levels.flatMap(({ rules }) => rules).sort((a, b) => a.order - b.order), visit);
  const value = values[TUPLE_FIELDS[depth]!];
  return searchAll(present(levels.map(({ exact }) => exact.get(value))), values, depth + 1, visit)
    ?? searchAll(fitting(levels, value), values, depth + 1, visit)
    ?? searchAll(present(levels.map(({ absent }) => absent)), values, depth + 1, visit);
}

const fitting = (levels: readonly Level[], value: string): Level[] =>
  levels.flatMap(({ patterns }) => patterns.filter(({ fits }) => fits(value)).map(({ level }) => level));
const present = (levels: readonly (Level | undefined)[]): Level[] => levels.filter((level) => level !== undefined);

function firstTaken(rules: readonly CompiledRule[], visit: Visit): CompiledRule | undefined {
  for (const rule of rules) if (visit(rule)) return rule;
  return undefined;
}
