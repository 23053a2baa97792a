import { LOG_STREAMS, type AuditRebuildReport, type LogStream } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { DataSource } from 'typeorm';
import type { Checkpoints } from './checkpoints.js';
import { inTransaction } from './connection.js';
import { digestTables, type TablesDigest } from './digest.js';
import { Projection } from './projection.js';
import type { StoredEventRaw } from './raw-event.js';
import { LIVE_SCHEMA, STRUCTURE, quoted, searchPath, sqlOf } from './sql.js';
import { TABLES } from './tables.js';

/** The log of one stream from its first event to `upTo`, in order. May end later; what is beyond is not read. */
export type LogSource = (stream: LogStream, upTo: number) => AsyncIterable<StoredEventRaw>;

export interface RebuildWatch {
  /** Told after each batch. `total` is what the live tables held when they were read. */
  readonly progress?: (events: number, total: number) => Promise<void>;
  /** Ends it between two batches or tables. */
  readonly signal?: AbortSignal;
}

const BATCH = 2_000;
/** Of a batch: large events make shorter batches. */
const BATCH_BYTES = 8 * 1024 * 1024;

/**
 * Proves the live tables: projects the log again from its first event into a scratch schema, up to where the live
 * tables stood in the snapshot that was read, and compares the digest of every table. The live tables go on meanwhile.
 * @throws GateError LOG_REGRESSED when the log does not reach from 1 to the checkpoint any more
 */
export async function rebuild(source: DataSource, log: LogSource, scratch: string, watch: RebuildWatch = {}): Promise<AuditRebuildReport> {
  const live = await digestTables(source, quoted(LIVE_SCHEMA), watch.signal);
  const total = LOG_STREAMS.reduce((sum, stream) => sum + live.upTo[stream], 0);
  await createScratch(source, scratch);
  try {
    const projection = new Projection(source, quoted(scratch));
    let events = 0;
    for (const stream of LOG_STREAMS) {
      await projectAll(log, stream, live.upTo[stream], async (batch) => {
        watch.signal?.throwIfAborted();
        await projection.project(batch);
        await watch.progress?.(events += batch.length, total);
      });
    }
    return compare(live, await digestTables(source, quoted(scratch), watch.signal));
  } finally {
    await dropScratch(source, scratch);
  }
}

async function createScratch(source: DataSource, scratch: string): Promise<void> {
  await inTransaction(source, async (runner) => {
    await runner.query(`CREATE SCHEMA ${quoted(scratch)}`);
    await runner.query(searchPath(scratch));
    for (const file of STRUCTURE) await runner.query(await sqlOf(file, { schema: scratch }));
  });
}

/** Table by table, since one statement would need a lock for every partition and index at once. */
export async function dropScratch(source: DataSource, scratch: string): Promise<void> {
  for (const table of TABLES) await source.query(`DROP TABLE IF EXISTS ${quoted(scratch)}.${table} CASCADE`);
  await source.query(`DROP SCHEMA IF EXISTS ${quoted(scratch)} CASCADE`);
}

async function projectAll(log: LogSource, stream: LogStream, upTo: number, project: (batch: readonly StoredEventRaw[]) => Promise<void>): Promise<void> {
  let batch: StoredEventRaw[] = [];
  let bytes = 0;
  let last = 0;
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await project(batch);
    batch = [];
    bytes = 0;
  };
  if (upTo === 0) return;
  for await (const message of log(stream, upTo)) {
    if (message.sequence !== last + 1) throw missing(stream, last + 1);
    last = message.sequence;
    batch.push(message);
    bytes += message.body.byteLength;
    if (batch.length >= BATCH || bytes >= BATCH_BYTES) await flush();
    if (last === upTo) break;
  }
  await flush();
  if (last < upTo) throw missing(stream, last + 1);
}

const missing = (stream: LogStream, sequence: number): GateError =>
  new GateError('LOG_REGRESSED', `The log does not hold event ${sequence} of ${stream} any more, so the tables cannot be proved from it`, { stream, sequence });

function compare(live: TablesDigest, rebuilt: TablesDigest): AuditRebuildReport {
  const tables = live.tables.map(({ table, rows, digest }) => {
    const other = rebuilt.tables.find((candidate) => candidate.table === table)!;
    return { table, rows, digest, rebuiltRows: other.rows, rebuiltDigest: other.digest };
  });
  const upTo: Checkpoints = live.upTo;
  return { identical: tables.every((table) => table.digest === table.rebuiltDigest && table.rows === table.rebuiltRows), upTo: { ...upTo }, tables };
}
