import { LIMITS, type Json } from '@countersign/contracts';

/** Keywords whose cost may grow faster than schema and input together. */
const COSTLY = new Set(['pattern', 'patternProperties', 'format', 'uniqueItems', '$ref', '$dynamicRef', '$recursiveRef']);

export interface JsonShape {
  readonly tooDeep: boolean;
  /** Objects and arrays in it. Not all of them when it is too deep. */
  readonly nodes: number;
  /** Has a member named like a keyword that may be costly to check, wherever it stands. */
  readonly costly: boolean;
  /** Has a member that makes a schema asynchronous, whose check would be a promise and so never refuse. */
  readonly async: boolean;
}

/** Looks at a JSON value once, without recursion: it may be as deep as it likes. */
export function shapeOf(value: Json): JsonShape {
  const shape = { tooDeep: false, nodes: 0, costly: false, async: false };
  const left: { readonly value: Json; readonly depth: number }[] = [{ value, depth: 1 }];
  for (let next = left.pop(); next; next = left.pop()) {
    if (typeof next.value !== 'object' || next.value === null) continue;
    if (next.depth > LIMITS.jsonDepth) return { ...shape, tooDeep: true };
    shape.nodes += 1;
    for (const [name, member] of Object.entries(next.value)) {
      shape.costly ||= COSTLY.has(name);
      shape.async ||= name === '$async';
      left.push({ value: member, depth: next.depth + 1 });
    }
  }
  return shape;
}
