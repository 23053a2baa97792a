/**
 * The value as JSON keeps it: members that are `undefined` are left out. Parts that have none are the same objects as before,
 * so nothing is copied in the ordinary case. Only for plain JSON-like values.
 */
export function withoutUndefined<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return sameOr(value, value.map(withoutUndefined)) as T;
  const before = Object.entries(value);
  const after = before.map(([name, member]): [string, unknown] => [name, withoutUndefined(member)]);
  if (after.every(([, member], index) => member !== undefined && member === before[index]![1])) return value;
  return Object.fromEntries(after.filter(([, member]) => member !== undefined)) as T;
}

const sameOr = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  (after.every((member, index) => member === before[index]) ? before : after);
