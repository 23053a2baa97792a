import { randomBytes } from 'node:crypto';
import { LOG_STREAMS, type AuditRebuildReport, type AuditRebuildStatus } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { DataSource } from 'typeorm';
import { checkpointsOf } from './checkpoints.js';
import { dataSourceFor } from './data-source.js';
import { isLed, tryLead } from './leadership.js';
import { dropScratch, rebuild, type LogSource } from './rebuild.js';
import { lastReport, lastStep, RebuildSteps, type Step } from './rebuild-steps.js';

export interface StartedRebuild {
  readonly status: AuditRebuildStatus;
  /** Of the one that was begun by this call; undefined when one ran already. Rejects as `rebuild` does. */
  readonly report?: Promise<AuditRebuildReport>;
}

const LOCK = 'rebuild';
/** The lock's session, the work's and the record's. */
const POOL = 3;

/** Rebuilds of this database: one at a time in all processes, recorded as it goes on, so that each process can tell of it. */
export class Rebuilds {
  /** @param reader a role that may read the record */
  constructor(private readonly url: string, private readonly reader: DataSource) {}

  /**
   * Begins one unless one runs, and says what runs; what was begun ends by itself. Its connections exist for it only.
   * @param signal ends it soon; it has failed then
   */
  async start(log: LogSource, signal?: AbortSignal): Promise<StartedRebuild> {
    const source = dataSourceFor(this.url, { poolSize: POOL, applicationName: 'countersign-rebuilder' });
    await source.initialize();
    try {
      const lock = await tryLead(source, LOCK);
      if (!lock) {
        await source.destroy();
        return { status: await this.status() };
      }
      const steps = new RebuildSteps(source, randomBytes(6).toString('hex'));
      const checkpoints = await checkpointsOf(source);
      await steps.began(LOG_STREAMS.reduce((sum, stream) => sum + checkpoints[stream], 0));
      const report = run(source, log, steps, signal).finally(async () => {
        await lock.release();
        await source.destroy();
      });
      report.catch(() => undefined); // the caller's to hear; unheard it must not end the process
      return { status: await this.status(), report };
    } catch (error) {
      if (source.isInitialized) await source.destroy();
      throw error;
    }
  }

  /** Of the last one that was begun, in whichever process. One whose process has ended has failed. */
  async status(): Promise<AuditRebuildStatus> {
    const step = await this.currentStep();
    if (!step) return { state: 'none', events: 0, total: 0 };
    const report = await lastReport(this.reader);
    return { ...step, ...(report ? { report: report.report, reportOf: report.rebuild } : {}) };
  }

  /** The lock is given back after the last step is written: a step read again after the lock was found free is the last one. */
  private async currentStep(): Promise<Step | undefined> {
    const step = await lastStep(this.reader);
    if (step?.state !== 'running' || await isLed(this.reader, LOCK)) return step;
    const again = await lastStep(this.reader);
    if (again?.state !== 'running' || again.rebuild !== step.rebuild) return again;
    return { ...again, state: 'failed', error: new GateError('UNAVAILABLE', 'The process that ran this rebuild has ended before it was over').toWire() };
  }
}

async function run(source: DataSource, log: LogSource, steps: RebuildSteps, signal?: AbortSignal): Promise<AuditRebuildReport> {
  try {
    await dropLeftOvers(source);
    const report = await rebuild(source, log, `rebuild_${steps.rebuild}`, {
      progress: (events, total) => steps.reached(events, total), ...(signal ? { signal } : {}),
    });
    await steps.finished(report);
    return report;
  } catch (error) {
    // Without a database there is nobody to tell; the lock's end says it then.
    await steps.failed(error).catch(() => undefined);
    throw error;
  }
}

/** Scratch schemas of rebuilds whose process has ended. Under the lock nobody else works in one. */
async function dropLeftOvers(source: DataSource): Promise<void> {
  const rows: { name: string }[] = await source.query(`SELECT nspname AS name FROM pg_namespace WHERE nspname ~ '^rebuild_[0-9a-f]{12}$' AND nspowner = current_user::regrole`);
  for (const { name } of rows) await dropScratch(source, name);
}
