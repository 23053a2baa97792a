import { LOG_STREAMS, tenantFilter, type AuditCheckpoint, type AuditRebuildStatus, type AuditStatus, type LogStream, type TenantId } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';
import type { LogTail } from './log-tail.js';
import type { Projector } from './projector.js';
import { Stopping } from './stopping.js';
import type { StoreAccess } from './store-access.js';

export interface AuditedStream {
  readonly tail: LogTail;
  readonly projector: Projector;
}

/** How long stopping waits for a rebuild to come to the end of what it is at. The database ends what takes longer. */
const REBUILD_STOPS_MS = 5_000;

/** Projects both streams, and answers what the tables say. */
export class AuditService {
  private readonly stopping = new Stopping();
  private rebuild: Promise<unknown> | undefined;

  constructor(private readonly streams: Readonly<Record<LogStream, AuditedStream>>, readonly access: StoreAccess, private readonly logger: ServiceLogger) {}

  start(): void {
    for (const stream of LOG_STREAMS) this.streams[stream].projector.start();
  }

  async stop(): Promise<void> {
    this.stopping.now();
    await Promise.all(LOG_STREAMS.map((stream) => this.streams[stream].projector.stop()));
    await this.rebuildEnded();
    await this.access.close();
  }

  /** Where every stream stands, in the tables and in the log. @param tenant whose events alone are spoken of; undefined: everybody's */
  status(tenant: TenantId | undefined): Promise<AuditStatus> {
    return this.access.ask(async (store) => {
      const checkpoints = await store.checkpoints();
      const rows = await Promise.all(LOG_STREAMS.map(async (stream) => [stream, await this.checkpoint(stream, checkpoints[stream], tenant)] as const));
      return { checkpoints: Object.fromEntries(rows), quarantined: await store.quarantined(tenant) };
    });
  }

  /** Begins a rebuild, unless one runs in some process, and says what runs. */
  startRebuild(): Promise<AuditRebuildStatus> {
    return this.access.ask(async (store) => {
      const { status, report } = await store.startRebuild((stream, upTo) => this.streams[stream].tail.read(0, upTo), this.stopping.signal);
      this.rebuild = report?.then(
        ({ identical, upTo }) => this.logger.info({ rebuild: status.rebuild, identical, upTo }, 'the tables were rebuilt beside those in use'),
        (error: unknown) => this.logger.error({ err: error, rebuild: status.rebuild }, 'a rebuild was not finished'),
      ) ?? this.rebuild;
      return status;
    });
  }

  rebuildStatus(): Promise<AuditRebuildStatus> {
    return this.access.ask((store) => store.rebuildStatus());
  }

  private async checkpoint(stream: LogStream, sequence: number, tenant: TenantId | undefined): Promise<AuditCheckpoint> {
    const { tail, projector } = this.streams[stream];
    const logSequence = await tail.last(tenant === undefined ? undefined : tenantFilter(tenant));
    const { halted, lagMs } = projector;
    return {
      sequence: tenant === undefined ? sequence : Math.min(sequence, logSequence),
      logSequence,
      ...(lagMs === undefined ? {} : { lagMs: Math.round(lagMs) }),
      // What it says of the log beyond its code is the operator's.
      ...(halted ? { halted: (tenant === undefined ? halted : new GateError(halted.code)).toWire() } : {}),
    };
  }

  private async rebuildEnded(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => { timer = setTimeout(resolve, REBUILD_STOPS_MS); });
    await Promise.race([this.rebuild, late]);
    clearTimeout(timer);
  }
}
