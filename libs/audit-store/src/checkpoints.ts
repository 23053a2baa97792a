import type { LogStream } from '@countersign/contracts';
import type { EntityManager, QueryRunner } from 'typeorm';

/** Last sequence of each stream that is projected; 0 when nothing is. */
export type Checkpoints = Readonly<Record<LogStream, number>>;

/** @param schema as quoted in SQL; default: the live one */
export async function checkpointsOf(connection: Pick<EntityManager | QueryRunner, 'query'>, schema = '"audit"'): Promise<Checkpoints> {
  const rows: { stream: LogStream; sequence: string }[] = await connection.query(`SELECT stream, sequence FROM ${schema}.checkpoints`);
  const at = (stream: LogStream): number => {
    const row = rows.find((candidate) => candidate.stream === stream);
    if (!row) throw new Error(`${schema}.checkpoints has no row for ${stream}`);
    return Number(row.sequence);
  };
  return { GATE: at('GATE'), CATALOG: at('CATALOG') };
}
