import type { AuditReportView, AuditRebuildView } from '@countersign/contracts/http';
import type { CountersignClient } from './client.js';
import { CountersignError } from './http-transport.js';

export interface RebuildWatch {
  /** Called after each question. */
  readonly progress?: (status: AuditRebuildView) => void;
  readonly signal?: AbortSignal;
  /** Between two questions; longer the longer it takes. Default 100 ms to 2 s. */
  readonly pollMs?: (sinceMs: number) => number;
}

/** Answers that are not there in a row; the rebuild goes on meanwhile. */
const PATIENCE = 30;

/**
 * Begins a rebuild of the audit, or joins the one that runs, and asks until it is over.
 * @param operator a client with the operator's key
 * @throws CountersignError what the rebuild failed with, or the gate refused with
 */
export async function rebuildAudit(operator: CountersignClient, watch: RebuildWatch = {}): Promise<AuditReportView> {
  const { progress, pollMs = (sinceMs) => Math.min(2_000, 100 + sinceMs / 10) } = watch;
  const began = performance.now();
  const { rebuild } = await operator.startAuditRebuild();
  for (let missed = 0; ;) {
    watch.signal?.throwIfAborted();
    const status = await operator.auditRebuild().catch((error: unknown) => {
      if ((missed += 1) > PATIENCE || !isAway(error)) throw error;
      return undefined;
    });
    if (status) {
      missed = 0;
      progress?.(status);
      if (status.reportOf === rebuild) return status.report!;
      if (status.rebuild !== rebuild) throw new CountersignError('AUDIT_MISMATCH', 409, 'The rebuild was not finished, and another one was begun since');
      if (status.error) throw new CountersignError(status.error.code, 0, status.error.message, status.error.details);
    }
    await new Promise((resolve) => setTimeout(resolve, pollMs(performance.now() - began)));
  }
}

const isAway = (error: unknown): boolean => error instanceof CountersignError && ['UNAVAILABLE', 'TIMEOUT', 'BUSY'].includes(error.code);
