import type {
  ApprovalQuery, ApprovalRow, AskGrantUse, AuditItemQuery, AuditItemRow, AuditPage, AuditPlanQuery, AuditPlanRow, AuditRebuildStatus, GrantPreview, GrantUse, LogStream,
  PreviewGrant,
} from '@countersign/contracts';
import { checkpointsOf, type Checkpoints } from './checkpoints.js';
import { dataSourceFor } from './data-source.js';
import { tryLead, type Leadership } from './leadership.js';
import { Projection, type Projected } from './projection.js';
import type { StoredEventRaw } from './raw-event.js';
import { grantUse } from './reading/grant-use.js';
import { previewGrant } from './reading/preview-grant.js';
import { queryApprovals } from './reading/query-approvals.js';
import { queryItems } from './reading/query-items.js';
import { queryPlans } from './reading/query-plans.js';
import type { LogSource } from './rebuild.js';
import { Rebuilds, type StartedRebuild } from './rebuilds.js';
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
  project(batch: readonly StoredEventRaw[], beforeCommit?: () => Promise<void> | undefined): Promise<Projected>;
  checkpoints(): Promise<Checkpoints>;
  /** Undefined while another process projects this stream. */
  tryLead(stream: LogStream): Promise<Leadership | undefined>;
  queryPlans(tenant: string, query: AuditPlanQuery): Promise<AuditPage<AuditPlanRow>>;
  queryItems(tenant: string, query: AuditItemQuery): Promise<AuditPage<AuditItemRow>>;
  queryApprovals(tenant: string, query: ApprovalQuery, now: Date): Promise<AuditPage<ApprovalRow>>;
  grantUse(tenant: string, asked: AskGrantUse): Promise<GrantUse>;
  previewGrant(tenant: string, asked: PreviewGrant): Promise<GrantPreview>;
  /** Events of this tenant that could not be projected; without a tenant all of them, also those of which nobody can say whose they are. */
  quarantined(tenant?: string): Promise<number>;
  /** See `Rebuilds.start`. */
  startRebuild(log: LogSource, signal?: AbortSignal): Promise<StartedRebuild>;
  /** See `Rebuilds.status`. */
  rebuildStatus(): Promise<AuditRebuildStatus>;
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
  const rebuilds = new Rebuilds(urls.rebuilder, projector);
  const projection = new Projection(projector, quoted(LIVE_SCHEMA));
  return {
    project: (batch, beforeCommit) => projection.project(batch, beforeCommit),
    checkpoints: () => checkpointsOf(projector),
    tryLead: (stream) => tryLead(projector, stream),
    queryPlans: (tenant, query) => queryPlans(reader, tenant, query),
    queryItems: (tenant, query) => queryItems(reader, tenant, query),
    queryApprovals: (tenant, query, now) => queryApprovals(reader, tenant, query, now),
    grantUse: (tenant, asked) => grantUse(reader, tenant, asked),
    previewGrant: (tenant, asked) => previewGrant(reader, tenant, asked),
    quarantined: async (tenant) => {
      const [row] = await projector.query(`SELECT count(*)::int AS events FROM audit.quarantine WHERE $1::text IS NULL OR tenant = $1`, [tenant ?? null]);
      return row.events as number;
    },
    startRebuild: (log, signal) => rebuilds.start(log, signal),
    rebuildStatus: () => rebuilds.status(),
    close,
  };
}
