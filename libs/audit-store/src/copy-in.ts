import { finished } from 'node:stream/promises';
import type { QueryRunner } from 'typeorm';
import { from as copyFrom } from 'pg-copy-streams';
import { rawConnection } from './connection.js';
import { columnsOf, type TableName } from './tables.js';

/** Copies rows into a table. @param text COPY's text format, columns in the order of `columnsOf(table)` */
export async function copyIn(runner: QueryRunner, schema: string, table: TableName, text: Uint8Array): Promise<void> {
  const connection = await rawConnection(runner);
  const stream = connection.query(copyFrom(`COPY ${schema}.${table} (${columnsOf(table).join(', ')}) FROM STDIN`));
  stream.end(text);
  await finished(stream);
}
