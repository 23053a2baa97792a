/**
 * How a configuration, as the server reports it, differs from what it must be. Only what `required` names is compared;
 * the server leaves out what is off, so absent, false, zero, an empty text and an empty list are one thing.
 */
export function differences(required: object, actual: object): string[] {
  const found = actual as Record<string, unknown>;
  return Object.entries(required)
    .filter(([key, value]) => canonical(value) !== canonical(found[key]))
    .map(([key, value]) => `${key} is ${JSON.stringify(found[key]) ?? 'absent'}, must be ${JSON.stringify(value) ?? 'absent'}`);
}

function canonical(value: unknown): string {
  if (isOff(value)) return 'off';
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => !isOff(member));
    return `{${members.map(([key, member]) => `${key}:${canonical(member)}`).sort().join(',')}}`;
  }
  return JSON.stringify(value);
}

const isOff = (value: unknown): boolean =>
  value === undefined || value === null || value === false || value === 0 || value === '' || (Array.isArray(value) && value.length === 0);
