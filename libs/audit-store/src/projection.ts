import type { LogStream } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { DataSource, QueryRunner } from 'typeorm';
import { checkpointsOf } from './checkpoints.js';
import { inTransaction } from './connection.js';
import { copyIn } from './copy-in.js';
import type { StoredEventRaw } from './raw-event.js';
import { requireSameEvents } from './redelivery.js';
import { UNTIMED } from './rows/envelope.js';
import { prepareRows, type Prepared, type Quarantined } from './rows/prepare.js';
import { sequel } from './sequel.js';

/** Events of one COPY. */
const PART = 500;
const UNTIMED_MONTH = UNTIMED.slice(0, 7);

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
   * @param beforeCommit when everything is written and nothing of it is there yet; what it throws takes all of it back
   * @throws GateError UNAVAILABLE (a gap, or another projector was faster: read from the checkpoint again), LOG_REGRESSED
   */
  async project(batch: readonly StoredEventRaw[], beforeCommit?: () => Promise<void> | undefined): Promise<Projected> {
    const fresh: string[] = [];
    const result = await inTransaction(this.source, async (runner) => {
      await runner.query(`SET LOCAL TimeZone TO 'UTC'`);
      const before = await checkpointsOf(runner, this.schema);
      const sequels = [...streamsOf(batch)].map(([stream, messages]) => sequel(stream, before[stream], messages));
      for (const one of sequels) await requireSameEvents(runner, this.schema, one.stream, one.repeated);
      const next = sequels.filter((one) => one.next.length > 0);
      for (const one of next) await this.advance(runner, one.stream, before[one.stream], one.end);
      const quarantined = await this.write(runner, next.flatMap((one) => one.next), fresh);
      await beforeCommit?.();
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

  /** While PostgreSQL takes one part of the batch, the rows of the next are made. */
  private async write(runner: QueryRunner, messages: readonly StoredEventRaw[], fresh: string[]): Promise<Quarantined[]> {
    const quarantined: Quarantined[] = [];
    let ahead: Promise<Prepared> | undefined = prepareRows(messages.slice(0, PART));
    for (let from = PART; ahead; from += PART) {
      const prepared: Prepared = await ahead;
      ahead = from < messages.length ? prepareRows(messages.slice(from, from + PART)) : undefined;
      ahead?.catch(() => undefined); // awaited above, unless the COPY fails first
      await this.ensureMonths(runner, prepared.months, fresh);
      for (const { table, text } of prepared.rows.copies()) await copyIn(runner, this.schema, table, text);
      quarantined.push(...prepared.quarantined);
    }
    return quarantined;
  }

  private async ensureMonths(runner: QueryRunner, months: ReadonlySet<string>, fresh: string[]): Promise<void> {
    for (const month of months) {
      if (this.months.has(month) || fresh.includes(month) || month === UNTIMED_MONTH) continue;
      await runner.query(`SELECT ${this.schema}.ensure_month($1)`, [`${month}-01T00:00:00Z`]);
      fresh.push(month);
    }
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
