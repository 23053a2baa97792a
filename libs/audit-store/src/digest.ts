import { createHash } from 'node:crypto';
import type { DataSource, QueryRunner } from 'typeorm';
import { to as copyTo } from 'pg-copy-streams';
import { checkpointsOf, type Checkpoints } from './checkpoints.js';
import { inTransaction, rawConnection } from './connection.js';
import { TABLES, columnsOf, orderOf, type TableName } from './tables.js';

export interface TableDigest {
  readonly table: TableName;
  readonly rows: number;
  /** SHA-256, lower-case hex, over COPY's text of all rows in the order of the primary key. */
  readonly digest: string;
}

export interface TablesDigest {
  /** The checkpoints of the snapshot that was read. Rows beyond them would be in the digest, and nothing projects such. */
  readonly upTo: Checkpoints;
  readonly tables: readonly TableDigest[];
}

/** Settings that shape COPY's text; fixed, so that the same rows give the same bytes on every server. */
const TEXT_FORM = [
  `SET LOCAL TimeZone TO 'UTC'`, `SET LOCAL DateStyle TO 'ISO, YMD'`, `SET LOCAL extra_float_digits TO 1`,
  `SET LOCAL bytea_output TO 'hex'`, `SET LOCAL client_encoding TO 'UTF8'`,
];

/** Digest of every table in one snapshot, streaming: memory does not grow with the tables. @param schema as quoted in SQL @param signal ends it between two tables */
export async function digestTables(source: DataSource, schema: string, signal?: AbortSignal): Promise<TablesDigest> {
  return inTransaction(source, async (runner) => {
    for (const setting of TEXT_FORM) await runner.query(setting);
    const upTo = await checkpointsOf(runner, schema);
    const tables: TableDigest[] = [];
    for (const table of TABLES) {
      signal?.throwIfAborted();
      tables.push(await digestTable(runner, schema, table));
    }
    return { upTo, tables };
  }, 'REPEATABLE READ');
}

async function digestTable(runner: QueryRunner, schema: string, table: TableName): Promise<TableDigest> {
  const connection = await rawConnection(runner);
  const rows = `SELECT ${columnsOf(table).join(', ')} FROM ${schema}.${table} ORDER BY ${orderOf(table).join(', ')}`;
  const hash = createHash('sha256');
  let lines = 0;
  for await (const chunk of connection.query(copyTo(`COPY (${rows}) TO STDOUT`))) {
    hash.update(chunk as Buffer);
    lines += newlines(chunk as Buffer);
  }
  return { table, rows: lines, digest: hash.digest('hex') };
}

/** Each row is one line; a line break inside a value is escaped. */
function newlines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count += 1;
  return count;
}
