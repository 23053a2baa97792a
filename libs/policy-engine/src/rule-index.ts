import type { PolicyRule } from '@countersign/contracts';
import { TUPLE_FIELDS, type MatchValues } from './rule-tuple.js';

/** One level of the index a tuple field; a leaf holds the only rule of its tuple and values. */
interface Level {
  readonly exact: Map<string, Level>;
  absent?: Level;
  rule?: PolicyRule;
}

const newLevel = (): Level => ({ exact: new Map() });

/**
 * Rules by hash of their field values, four levels deep. Looking the exact value up before the absent one at each level
 * is the lexicographic order of the tuple, so the first rule found is the most specific: at most 15 look-ups, however many rules.
 */
export class RuleIndex {
  private readonly root = newLevel();

  /** @returns the rule that already stands at the same tuple with equal values, if there is one; then nothing is added */
  add(rule: PolicyRule): PolicyRule | undefined {
    let level = this.root;
    for (const field of TUPLE_FIELDS) level = descend(level, rule.match[field]);
    if (level.rule) return level.rule;
    level.rule = rule;
    return undefined;
  }

  /** The most specific rule that matches. */
  find(values: MatchValues): PolicyRule | undefined {
    return search(this.root, values, 0);
  }
}

function descend(level: Level, value: string | undefined): Level {
  if (value === undefined) return (level.absent ??= newLevel());
  let next = level.exact.get(value);
  if (!next) level.exact.set(value, (next = newLevel()));
  return next;
}

function search(level: Level, values: MatchValues, depth: number): PolicyRule | undefined {
  if (depth === TUPLE_FIELDS.length) return level.rule;
  const exact = level.exact.get(values[TUPLE_FIELDS[depth]!]);
  const found = exact && search(exact, values, depth + 1);
  return found ?? (level.absent && search(level.absent, values, depth + 1));
}
