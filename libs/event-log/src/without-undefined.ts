/**
 * The value as JSON keeps it: members that are `undefined` are left out. Parts that have none are the same objects as before,
 * so nothing is copied in the ordinary case. Only for plain JSON-like values.
 */
export function withoutUndefined<T>(value: T): T {
  if (!holdsUndefined(value)) return value;
  if (Array.isArray(value)) return value.map(withoutUndefined) as T;
  const kept = Object.entries(value as object).filter(([, member]) => member !== undefined);
  return Object.fromEntries(kept.map(([name, member]): [string, unknown] => [name, withoutUndefined(member)])) as T;
}

/** Some object in it has a member that is `undefined`. */
function holdsUndefined(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(holdsUndefined);
  for (const name in value) {
    const member = (value as Record<string, unknown>)[name];
    if (member === undefined || holdsUndefined(member)) return true;
  }
  return false;
}
