import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { finished } from 'node:stream/promises';
import { TABLES } from '@countersign/audit-store';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { GateUnderLoad } from './gate.js';

export interface RebuildSpeed {
  /** Events a second of a whole rebuild: the log read, its rows made and copied, and the tables compared. */
  readonly rebuilt: number;
  /** Events a second of a bare COPY of the same rows into tables with the same columns and indexes. */
  readonly copied: number;
}

/** @throws Error when the rebuild fails, or finds the tables not to be what the log says */
export async function rebuildSpeed(gate: GateUnderLoad): Promise<RebuildSpeed> {
  const started = performance.now();
  let status = await gate.operator.startAuditRebuild();
  while (status.state === 'running') {
    await sleep(50);
    status = await gate.operator.auditRebuild();
  }
  const rebuiltMs = performance.now() - started;
  if (status.state !== 'finished' || !status.report?.identical) throw new Error(`the rebuild has ${status.state}: ${JSON.stringify(status.error ?? status.report)}`);
  return { rebuilt: (status.total * 1_000) / rebuiltMs, copied: (status.total * 1_000) / (await bareCopyMs(gate.databaseUrl)) };
}

/** What all rows of the audit take to be copied in; they are read first and kept in memory. */
async function bareCopyMs(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const rows: [string, Buffer][] = [];
    for (const table of TABLES) rows.push([table, await allRows(client, table)]);
    await client.query('CREATE SCHEMA bare_copy');
    for (const table of TABLES) await client.query(`CREATE TABLE bare_copy.${table} (LIKE audit.${table} INCLUDING ALL)`);
    const started = performance.now();
    for (const [table, text] of rows) {
      const stream = client.query(copyFrom(`COPY bare_copy.${table} FROM STDIN`));
      stream.end(text);
      await finished(stream);
    }
    return performance.now() - started;
  } finally {
    await client.query('DROP SCHEMA IF EXISTS bare_copy CASCADE');
    await client.end();
  }
}

async function allRows(client: pg.Client, table: string): Promise<Buffer> {
  const stream = client.query(copyTo(`COPY (SELECT * FROM audit.${table}) TO STDOUT`));
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part));
  await once(stream, 'end');
  return Buffer.concat(parts);
}
