/** A pattern in which `*` stands for any text, also for none, and everything else for itself. */
export interface Glob {
  readonly prefix: string;
  /** What stands between two stars, in order; never empty texts. */
  readonly middle: readonly string[];
  readonly suffix: string;
}

export const isGlob = (text: string): boolean => text.includes('*');

/** @param text with at least one `*` */
export function parseGlob(text: string): Glob {
  const parts = text.split('*');
  return { prefix: parts[0]!, middle: parts.slice(1, -1).filter((part) => part !== ''), suffix: parts.at(-1)! };
}

/** In one pass without going back: the leftmost place of each part is always good enough. */
export function globMatches({ prefix, middle, suffix }: Glob, text: string): boolean {
  if (text.length < prefix.length + suffix.length || !text.startsWith(prefix) || !text.endsWith(suffix)) return false;
  const end = text.length - suffix.length;
  let at = prefix.length;
  for (const part of middle) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/**
 * Whether some text matches both. Each has a star, which takes in what the other one wants in its middle; so only beginnings
 * and ends can part them.
 */
export function globsMeet(one: Glob, other: Glob): boolean {
  return (one.prefix.startsWith(other.prefix) || other.prefix.startsWith(one.prefix))
    && (one.suffix.endsWith(other.suffix) || other.suffix.endsWith(one.suffix));
}
