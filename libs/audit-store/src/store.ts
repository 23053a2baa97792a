import { randomBytes } from 'node:crypto';
import type { AuditItemQuery, AuditItemRow, AuditPage, AuditPlanQuery, AuditPlanRow, AuditRebuildReport, LogStream } from '@countersign/contracts';
import { checkpointsOf, type Checkpoints } from './checkpoints.js';
import { dataSourceFor } from './data-source.js';
import { tryLead, type Leadership } from './leadership.js';
import { Projection, type Projected } from './projection.js';
import type { StoredEventRaw } from './raw-event.js';
import { queryItems } from './reading/query-items.js';
import { queryPlans } from './reading/query-plans.js';
import { rebuild, type LogSource } from './rebuild.js';
import { auditUrls, type AuditPasswords } from './roles.js';
import { LIVE_SCHEMA, quoted } from './sql.js';

export interface AuditStoreOptions {
  /** The database's address; user and password in it are ignored. */
  readonly url: string;
  readonly passwords: AuditPasswords;
}

/** The audit's tables, as the audit service uses them. Every method rejects with pg's error while the database is away. */
export interface AuditStore {
  /** See `Projection.project`. */
  project(batch: readonly StoredEventRaw[]): Promise<Projected>;
  checkpoints(): Promise<Checkpoints>;
  /** Undefined while another process projects this stream. */
  tryLead(stream: LogStream): Promise<Leadership | undefined>;
  queryPlans(tenant: string, query: AuditPlanQuery): Promise<AuditPage<AuditPlanRow>>;
  queryItems(tenant: string, query: AuditItemQuery): Promise<AuditPage<AuditItemRow>>;
  /** Events of this tenant, and of none, that could not be projected. */
  quarantined(tenant: string): Promise<number>;
  /** See `rebuild`. */
  rebuild(log: LogSource): Promise<AuditRebuildReport>;
  close(): Promise<void>;
}

/** Connects as projector and reader. @throws pg's error when the database does not answer or is not migrated */
export async function openAuditStore(options: AuditStoreOptions): Promise<AuditStore> {
  const urls = auditUrls(options.url, options.passwords);
  const projector = dataSourceFor(urls.projector, { poolSize: 6, applicationName: 'countersign-projector' });
  const reader = dataSourceFor(urls.reader, { poolSize: 4, applicationName: 'countersign-reader' });
  const close = async (): Promise<void> => {
    await Promise.all([projector, reader].filter((source) => source.isInitialized).map((source) => source.destroy()));
  };
  try {
    await projector.initialize();
    await reader.initialize();
    await checkpointsOf(projector);
  } catch (error) {
    await close();
    throw error;
  }
  const projection = new Projection(projector, quoted(LIVE_SCHEMA));
  return {
    project: (batch) => projection.project(batch),
    checkpoints: () => checkpointsOf(projector),
    tryLead: (stream) => tryLead(projector, stream),
    queryPlans: (tenant, query) => queryPlans(reader, tenant, query),
    queryItems: (tenant, query) => queryItems(reader, tenant, query),
    quarantined: async (tenant) => {
      const [row] = await projector.query(`SELECT count(*)::int AS events FROM audit.quarantine WHERE tenant = $1 OR tenant IS NULL`, [tenant]);
      return row.events as number;
    },
    rebuild: (log) => rebuildOnce(urls.rebuilder, log),
    close,
  };
}

/** Rebuilds are rare: their connections exist for one of them only. */
async function rebuildOnce(url: string, log: LogSource): Promise<AuditRebuildReport> {
  const source = dataSourceFor(url, { poolSize: 2, applicationName: 'countersign-rebuilder' });
  await source.initialize();
  try {
    return await rebuild(source, log, `rebuild_${randomBytes(6).toString('hex')}`);
  } finally {
    await source.destroy();
  }
}
