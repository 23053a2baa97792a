import { copyCell } from '../copy-text.js';
import { columnsOf, type Cell, type TableName } from '../tables.js';

/** Some columns of one row, by their names. */
export type Facts = Readonly<Record<string, Cell>>;

const FIRST_BYTES = 16 * 1024;
/** UTF-8 bytes of one UTF-16 unit, at most. */
const MOST_BYTES_A_UNIT = 3;

/**
 * Collects rows as COPY text, table by table, in buffers and not in strings: what waits for the end of a batch as
 * strings is copied about by the garbage collector, and that cost more than all the rest.
 */
export class RowSink {
  private readonly texts = new Map<TableName, TableText>();

  /**
   * A row whose columns stand in several parts; the first part that has a column gives it.
   * @throws Error when no part gives a column of the table: a mistake in the projection, not in the event
   */
  add(table: TableName, ...parts: readonly Facts[]): void {
    let text = this.texts.get(table);
    if (!text) this.texts.set(table, text = new TableText());
    text.append(lineOf(table, parts));
  }

  /** What was added since is forgotten by `backTo`. */
  mark(): ReadonlyMap<TableName, number> {
    return new Map([...this.texts].map(([table, { bytes }]) => [table, bytes]));
  }

  backTo(mark: ReadonlyMap<TableName, number>): void {
    for (const [table, text] of this.texts) text.bytes = mark.get(table) ?? 0;
  }

  /** Tables that have rows, each with its COPY text. The sink must not be used afterwards. */
  *copies(): Generator<{ readonly table: TableName; readonly text: Uint8Array }> {
    for (const [table, text] of this.texts) if (text.bytes > 0) yield { table, text: text.written() };
  }
}

function lineOf(table: TableName, parts: readonly Facts[]): string {
  const cells: string[] = [];
  for (const column of columnsOf(table)) {
    let cell: Cell | undefined;
    for (let at = 0; cell === undefined && at < parts.length; at += 1) cell = parts[at]![column];
    if (cell === undefined) throw new Error(`${table}.${column} is not given`);
    cells.push(copyCell(cell));
  }
  return `${cells.join('\t')}\n`;
}

class TableText {
  bytes = 0;
  private buffer = Buffer.allocUnsafe(FIRST_BYTES);

  append(line: string): void {
    const most = this.bytes + line.length * MOST_BYTES_A_UNIT;
    if (most > this.buffer.byteLength) this.grow(most);
    this.bytes += this.buffer.write(line, this.bytes, 'utf8');
  }

  written(): Uint8Array {
    return this.buffer.subarray(0, this.bytes);
  }

  private grow(least: number): void {
    const larger = Buffer.allocUnsafe(Math.max(least, this.buffer.byteLength * 2));
    this.buffer.copy(larger, 0, 0, this.bytes);
    this.buffer = larger;
  }
}
