import { bold, cyan, dim, green, red, visible } from './terminal.js';

const HUNK = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;

/**
 * A unified diff in colours. Headers are told by their place and not by how they begin: inside a hunk, whose lengths its head
 * says, `--- x` is the removed line `-- x` and no file.
 */
export function renderDiff(unified: string): string {
  let [removed, added] = [0, 0];
  return visible(unified.replace(/\n$/, '')).split('\n').map((line) => {
    if (removed > 0 || added > 0) {
      if (!line.startsWith('+') && !line.startsWith('\\')) removed -= 1;
      if (!line.startsWith('-') && !line.startsWith('\\')) added -= 1;
      return paintOf(line)(line);
    }
    const hunk = HUNK.exec(line);
    if (!hunk) return line.startsWith('\\') ? dim(line) : bold(line);
    [removed, added] = [Number(hunk[1] ?? 1), Number(hunk[2] ?? 1)];
    return cyan(line);
  }).join('\n');
}

const paintOf = (line: string): typeof dim => (line.startsWith('+') ? green : line.startsWith('-') ? red : dim);
