import type { LogStream } from '@countersign/contracts';
import { GateError, sha256 } from '@countersign/kernel';
import type { QueryRunner } from 'typeorm';
import type { StoredEventRaw } from './raw-event.js';

/**
 * A sequence that was projected before must bring the event that was projected. Another one means that the log was
 * emptied or restored below the checkpoint and written anew; to skip it would lose it.
 * @throws GateError LOG_REGRESSED
 */
export async function requireSameEvents(runner: QueryRunner, schema: string, stream: LogStream, repeated: readonly StoredEventRaw[]): Promise<void> {
  if (repeated.length === 0) return;
  const rows: { sequence: string; subject: string | null; body_digest: string }[] = await runner.query(
    `SELECT sequence, subject, body_digest FROM ${schema}.event_log WHERE stream = $1 AND sequence = ANY($2::bigint[])`,
    [stream, repeated.map((message) => message.sequence)],
  );
  const known = new Map(rows.map((row) => [Number(row.sequence), row]));
  for (const message of repeated) {
    const row = known.get(message.sequence);
    const same = row !== undefined && row.body_digest === sha256(message.body) && (row.subject ?? message.subject) === message.subject;
    if (!same) {
      throw new GateError('LOG_REGRESSED', `Event ${message.sequence} of ${stream} is not the one that was projected`, { stream, sequence: message.sequence });
    }
  }
}
