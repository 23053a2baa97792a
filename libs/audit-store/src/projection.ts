import type { LogStream } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { DataSource, QueryRunner } from 'typeorm';
import { checkpointsOf } from './checkpoints.js';
import { inTransaction } from './connection.js';
import { copyIn } from './copy-in.js';
import type { StoredEventRaw } from './raw-event.js';
import { requireSameEvents } from './redelivery.js';
import { addRowsOf } from './rows/rows-of.js';
import { RowSink } from './rows/row-sink.js';
import { sequel } from './sequel.js';

export interface Quarantined { readonly stream: LogStream; readonly sequence: number; readonly reason: string; readonly detail: string }

export interface Projected {
  /** Where the streams of the batch stand now. */
  readonly checkpoints: Readonly<Partial<Record<LogStream, number>>>;
  readonly projected: number;
  /** Had been projected before, and were the same. */
  readonly repeated: number;
  readonly quarantined: readonly Quarantined[];
}

/**
 * Writes batches of the log into one schema: rows and checkpoints in one transaction, so that either both are there or
 * neither. Any number of projectors may try; the checkpoint's compare-and-set lets one win.
 */
export class Projection {
  /** Months this process knows to be there, as YYYY-MM. */
  private readonly months = new Set<string>();

  /** @param schema as quoted in SQL */
  constructor(private readonly source: DataSource, private readonly schema: string) {}

  /**
   * The order of the batch does not matter; what is at or below the checkpoint is compared and skipped.
   * @throws GateError UNAVAILABLE (a gap, or another projector was faster: read from the checkpoint again), LOG_REGRESSED
   */
  async project(batch: readonly StoredEventRaw[]): Promise<Projected> {
    const fresh: string[] = [];
    const result = await inTransaction(this.source, async (runner) => {
      await runner.query(`SET LOCAL TimeZone TO 'UTC'`);
      const before = await checkpointsOf(runner, this.schema);
      const sequels = [...streamsOf(batch)].map(([stream, messages]) => sequel(stream, before[stream], messages));
      for (const one of sequels) await requireSameEvents(runner, this.schema, one.stream, one.repeated);
      const next = sequels.filter((one) => one.next.length > 0);
      for (const one of next) await this.advance(runner, one.stream, before[one.stream], one.end);
      const sink = new RowSink();
      const quarantined = await this.fill(runner, sink, next.flatMap((one) => one.next), fresh);
      for (const { table, text } of sink.copies()) await copyIn(runner, this.schema, table, text);
      return {
        checkpoints: Object.fromEntries(sequels.map((one) => [one.stream, one.end])),
        projected: next.reduce((sum, one) => sum + one.next.length, 0),
        repeated: sequels.reduce((sum, one) => sum + one.repeated.length, 0),
        quarantined,
      };
    });
    // Only now do the partitions exist for certain.
    for (const month of fresh) this.months.add(month);
    return result;
  }

  private async advance(runner: QueryRunner, stream: LogStream, expected: number, next: number): Promise<void> {
    const [row] = await runner.query(`SELECT ${this.schema}.advance_checkpoint($1, $2, $3) AS done`, [stream, expected, next]);
    if (row.done !== true) throw new GateError('UNAVAILABLE', `Another projector has moved the checkpoint of ${stream} beyond ${expected}`);
  }

  private async fill(runner: QueryRunner, sink: RowSink, messages: readonly StoredEventRaw[], fresh: string[]): Promise<Quarantined[]> {
    const quarantined: Quarantined[] = [];
    const months = new Set<string>();
    for (const message of messages) {
      const { time, quarantined: why } = addRowsOf(message, sink);
      if (why) quarantined.push({ stream: message.stream, sequence: message.sequence, reason: why.reason, detail: why.detail });
      months.add(time.slice(0, 7));
    }
    for (const month of months) {
      if (this.months.has(month) || month.startsWith('1970')) continue;
      await runner.query(`SELECT ${this.schema}.ensure_month($1)`, [`${month}-01T00:00:00Z`]);
      fresh.push(month);
    }
    return quarantined;
  }
}

function streamsOf(batch: readonly StoredEventRaw[]): Map<LogStream, StoredEventRaw[]> {
  const streams = new Map<LogStream, StoredEventRaw[]>();
  for (const message of batch) {
    const messages = streams.get(message.stream);
    if (messages) messages.push(message);
    else streams.set(message.stream, [message]);
  }
  return streams;
}
