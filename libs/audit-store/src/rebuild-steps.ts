import type { AuditRebuildReport, AuditRebuildStatus, WireError } from '@countersign/contracts';
import { GateError, isGateError } from '@countersign/kernel';
import type { DataSource } from 'typeorm';

/** Steps in between are written at most this often. */
const EVERY_MS = 1_000;

export type Step = Omit<AuditRebuildStatus, 'report' | 'reportOf'>;

/** Writes down how one rebuild goes, in `rebuild_steps`: insert-only like everything else there. */
export class RebuildSteps {
  private total = 0;
  private events = 0;
  private writtenAt = 0;

  constructor(private readonly source: DataSource, readonly rebuild: string) {}

  async began(total: number): Promise<void> {
    this.total = total;
    await this.write('running');
  }

  async reached(events: number, total: number): Promise<void> {
    this.events = events;
    this.total = total;
    if (performance.now() - this.writtenAt >= EVERY_MS) await this.write('running');
  }

  finished(report: AuditRebuildReport): Promise<void> {
    return this.write('finished', report);
  }

  failed(error: unknown): Promise<void> {
    const told = isGateError(error) ? error : new GateError('UNAVAILABLE', 'The rebuild was ended or failed; the audit’s log says why');
    return this.write('failed', told.toWire());
  }

  private async write(state: 'running' | 'finished' | 'failed', told?: AuditRebuildReport | WireError): Promise<void> {
    await this.source.query('INSERT INTO audit.rebuild_steps (rebuild, state, events, total, told) VALUES ($1, $2, $3, $4, $5)',
      [this.rebuild, state, this.events, this.total, told === undefined ? null : JSON.stringify(told)]);
    this.writtenAt = performance.now();
  }
}

interface Row { rebuild: string; state: 'running' | 'finished' | 'failed'; at: Date; began: Date; events: string; total: string; told: string | null }

/** Of the last rebuild that was begun. */
export async function lastStep(source: DataSource): Promise<Step | undefined> {
  const [row] = (await source.query(
    `SELECT rebuild, state, at, events, total, told, (SELECT min(at) FROM audit.rebuild_steps one WHERE one.rebuild = last.rebuild) AS began
     FROM audit.rebuild_steps last ORDER BY step DESC LIMIT 1`)) as Row[];
  if (!row) return undefined;
  return {
    state: row.state,
    rebuild: row.rebuild,
    startedAt: row.began.toISOString(),
    ...(row.state === 'running' ? {} : { endedAt: row.at.toISOString() }),
    events: Number(row.events),
    total: Number(row.total),
    ...(row.state === 'failed' ? { error: JSON.parse(row.told!) as WireError } : {}),
  };
}

/** Of the last rebuild that came to its end. */
export async function lastReport(source: DataSource): Promise<{ readonly rebuild: string; readonly report: AuditRebuildReport } | undefined> {
  const [row] = (await source.query(`SELECT rebuild, told FROM audit.rebuild_steps WHERE state = 'finished' ORDER BY step DESC LIMIT 1`)) as Row[];
  return row ? { rebuild: row.rebuild, report: JSON.parse(row.told!) as AuditRebuildReport } : undefined;
}
