export interface Difference {
  readonly setting: string;
  /** `max_age is 5, must be 0`. */
  readonly text: string;
}

/**
 * How a configuration, as the server reports it, differs from what it must be. The server leaves out what is off, so
 * absent, false, zero and whatever is empty are one thing. A setting that `required` does not name must be off as well,
 * unless it stands in `harmless`: a newer server may have one that undoes what the log rests on.
 */
export function differingSettings(required: object, actual: object, harmless: readonly string[] = []): Difference[] {
  const must = required as Record<string, unknown>;
  const found = actual as Record<string, unknown>;
  const compared = new Set([...Object.keys(must), ...Object.keys(found).filter((key) => !harmless.includes(key))]);
  return [...compared]
    .filter((key) => canonical(must[key]) !== canonical(found[key]))
    .map((key) => ({ setting: key, text: `${key} is ${shown(found[key])}, must be ${shown(must[key])}` }));
}

/** The same in words alone. */
export const differences = (required: object, actual: object, harmless: readonly string[] = []): string[] => differingSettings(required, actual, harmless).map(({ text }) => text);

const shown = (value: unknown): string => JSON.stringify(value) ?? 'absent';

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
  value === undefined || value === null || value === false || value === 0 || value === ''
  || (typeof value === 'object' && Object.values(value).every(isOff));
