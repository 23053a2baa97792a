const PAINT = /^\u001b\[(\d+)m/;
/** Also the least that is left for text behind an indent, however narrow the terminal is. */
const LEAST_COLUMNS = 20;

/** Of the terminal that is written to; endless when nobody looks at one. */
const terminalColumns = (): number => (process.stdout.isTTY ? process.stdout.columns : Infinity);

/**
 * Every line cut to the terminal's width, and what is left put behind its indent and a mark. A terminal would go on at the
 * first column, where a text of enough blanks could pose as a line of ours. Colours are those of `terminal.ts` alone.
 */
export function fitted(text: string, columns = terminalColumns()): string {
  return columns === Infinity ? text : text.split('\n').map((line) => fitLine(line, columns)).join('\n');
}

function fitLine(line: string, columns: number): string {
  const indent = /^ */.exec(line)![0];
  const behind = `${indent}┆ `;
  const most = Math.max(columns, indent.length + LEAST_COLUMNS);
  let [out, at, colour] = ['', 0, ''];
  for (let rest = line; rest !== '';) {
    const paint = PAINT.exec(rest);
    const piece = paint?.[0] ?? String.fromCodePoint(rest.codePointAt(0)!);
    if (paint) colour = paint[1] === '0' ? '' : piece;
    else if (at + columnsOf(piece) > most) {
      out += `${colour && RESET}\n${behind}${colour}`;
      at = behind.length;
    }
    if (!paint) at += columnsOf(piece);
    out += piece;
    rest = rest.slice(piece.length);
  }
  return out;
}

const RESET = '\u001b[0m';

/** At most so many: what is not ASCII may be wide, and a tab goes on to the next of every eight columns. */
const columnsOf = (character: string): number => (character === '\t' ? 8 : character <= '~' ? 1 : 2);
