import type { AuditRebuildReport } from '@countersign/contracts';
import type { AuditStore, LogSource } from '../src/index.js';

/** Begins a rebuild, and waits for its report. */
export async function rebuilt(store: AuditStore, log: LogSource): Promise<AuditRebuildReport> {
  const { report } = await store.startRebuild(log);
  if (!report) throw new Error('another rebuild runs');
  return report;
}
