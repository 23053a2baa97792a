import type { GrantNarrow, Json } from '@countersign/contracts';

/** Of a call, what a narrowed grant is compared with. */
export interface NarrowFacts { readonly input: Json | undefined; readonly inputDigest: string }

/** Whether a call is within the condition of a grant. Whatever cannot be compared is not. */
export function isWithin(narrow: GrantNarrow | undefined, { input, inputDigest }: NarrowFacts): boolean {
  if (narrow === undefined) return true;
  switch (narrow.kind) {
    case 'exact_input': return narrow.inputDigest === inputDigest;
    case 'path_prefix': return isBelow(narrow.prefix, textAt(input, narrow.field));
    case 'host': return narrow.host !== '' && hostOf(textAt(input, narrow.field)) === narrow.host.toLowerCase();
    default: return false;
  }
}

/** Whole segments: `/a/b` covers `/a/b` and `/a/b/c`, not `/a/bc`. */
function isBelow(prefix: string, path: string | undefined): boolean {
  const [above, below] = [segmentsOf(prefix), path === undefined ? undefined : segmentsOf(path)];
  return above !== undefined && below !== undefined && prefix.startsWith('/') === path!.startsWith('/')
    && above.length > 0 && above.every((segment, index) => segment === below[index]);
}

/**
 * Segments of a path without empty ones and `.`; undefined for a path whose meaning depends on who reads it: one with `..`, a
 * backslash, a percent sign, a control character, what some systems take for a dot or a slash, or a tilde at its beginning.
 */
export function segmentsOf(path: string): readonly string[] | undefined {
  if (UNCERTAIN.test(path) || path.startsWith('~')) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  return segments.some((segment) => /^\.{2,}$/.test(segment.trim()) || segment !== segment.trim()) ? undefined : segments;
}
const UNCERTAIN = /[\u0000-\u001f\u007f\\%\u2024-\u2026\u2044\u2215\u2216\u29f5\u29f8\ufe52\ufe68\uff0e\uff0f\uff3c]/;

/** The host of a plain URL, in lower case with its port if it names one; undefined where two readers could see two hosts. */
export function hostOf(url: string | undefined): string | undefined {
  if (url === undefined || !/^[a-z][a-z0-9+.-]*:\/\/[A-Za-z0-9.:[\]-]+([/?#][\x21-\x5b\x5d-\x7e]*)?$/i.test(url) || !URL.canParse(url)) return undefined;
  const { host, username, password } = new URL(url);
  return host === '' || username !== '' || password !== '' ? undefined : host.toLowerCase();
}

/** The text at a JSON pointer. */
export function textAt(input: Json | undefined, pointer: string): string | undefined {
  if (!pointer.startsWith('/')) return undefined;
  let value: unknown = input;
  for (const token of pointer.slice(1).split('/')) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return typeof value === 'string' ? value : undefined;
}
