import type { ErrorCode } from '../errors.js';

export type Class = new () => object;

/** What is wrong with a value, to be read behind its path; undefined when nothing is. It costs no more than the value's own bound. */
export type Check = (value: unknown) => string | undefined;

/** What holds for one field of a request. */
export interface Rule {
  readonly optional: boolean;
  readonly check: Check;
  /** Of an object with fields of its own, or of each member of a list of such. */
  readonly inner?: () => Class;
  /** More members than this are refused before any of them is looked at, with a code of its own where one is given. */
  readonly members?: { readonly max: number; readonly code?: ErrorCode };
}

const own = new Map<object, Map<string, Rule>>();
const whole = new Map<object, ReadonlyMap<string, Rule>>();

export function ruled(rule: Rule): PropertyDecorator {
  return (target, property) => {
    const known = own.get(target) ?? new Map<string, Rule>();
    own.set(target, known.set(String(property), rule));
  };
}

/** The rules of a request's class by field, with those it inherits. */
export function rulesOf(type: Class): ReadonlyMap<string, Rule> {
  const { prototype } = type as { prototype: object };
  const known = whole.get(prototype);
  if (known) return known;
  const rules = new Map<string, Rule>();
  for (let of: object | null = prototype; of; of = Object.getPrototypeOf(of) as object | null) {
    for (const [name, rule] of own.get(of) ?? []) if (!rules.has(name)) rules.set(name, rule);
  }
  whole.set(prototype, rules);
  return rules;
}
