/** More edits than this, and it is another word. */
const MOST_EDITS = 2;

/** The one of the known words that is nearest to a misspelt one, if any is near. */
export function didYouMean(word: string, known: readonly string[]): string | undefined {
  const near = known.map((one) => ({ one, edits: editsBetween(word.toLowerCase(), one.toLowerCase()) }))
    .filter(({ edits }) => edits <= MOST_EDITS).sort((a, b) => a.edits - b.edits);
  return near[0]?.one;
}

/** Levenshtein's distance; words of names only, so short. */
function editsBetween(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > MOST_EDITS) return MOST_EDITS + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row.at(-1)!;
}
