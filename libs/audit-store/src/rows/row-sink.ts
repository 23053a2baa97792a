import { copyLine } from '../copy-text.js';
import { columnsOf, type Cell, type TableName } from '../tables.js';

export type Facts = Readonly<Record<string, Cell>>;

/** Collects the rows of one event or one batch, as COPY text for each table. */
export class RowSink {
  private readonly lines = new Map<TableName, string[]>();

  /** @throws Error when a column of the table is not given: a mistake in the projection, not in the event */
  add(table: TableName, facts: Facts): void {
    const cells = columnsOf(table).map((column) => {
      const cell = facts[column];
      if (cell === undefined) throw new Error(`${table}.${column} is not given`);
      return cell;
    });
    const lines = this.lines.get(table);
    if (lines) lines.push(copyLine(cells));
    else this.lines.set(table, [copyLine(cells)]);
  }

  merge(other: RowSink): void {
    for (const [table, lines] of other.lines) {
      const mine = this.lines.get(table);
      if (mine) for (const line of lines) mine.push(line);
      else this.lines.set(table, [...lines]);
    }
  }

  /** Tables that have rows, each with its COPY text. */
  *copies(): Generator<{ readonly table: TableName; readonly text: string }> {
    for (const [table, lines] of this.lines) yield { table, text: lines.join('') };
  }
}
