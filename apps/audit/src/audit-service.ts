import { LOG_STREAMS, type AuditCheckpoint, type AuditRebuildReport, type AuditStatus, type LogStream } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { LogTail } from './log-tail.js';
import type { Projector } from './projector.js';
import type { StoreAccess } from './store-access.js';

export interface AuditedStream {
  readonly tail: LogTail;
  readonly projector: Projector;
}

/** Projects both streams, and answers what the tables say. */
export class AuditService {
  private rebuilding = false;

  constructor(private readonly streams: Readonly<Record<LogStream, AuditedStream>>, readonly access: StoreAccess) {}

  start(): void {
    for (const stream of LOG_STREAMS) this.streams[stream].projector.start();
  }

  async stop(): Promise<void> {
    await Promise.all(LOG_STREAMS.map((stream) => this.streams[stream].projector.stop()));
    await this.access.close();
  }

  /** Where every stream stands, in the tables and in the log. */
  status(tenant: string): Promise<AuditStatus> {
    return this.access.ask(async (store) => {
      const checkpoints = await store.checkpoints();
      const rows = await Promise.all(LOG_STREAMS.map(async (stream) => [stream, await this.checkpoint(stream, checkpoints[stream])] as const));
      return { checkpoints: Object.fromEntries(rows), quarantined: await store.quarantined(tenant) };
    });
  }

  /** @throws GateError BUSY while another rebuild runs, LOG_REGRESSED when the log does not begin at its first event any more */
  async rebuild(): Promise<AuditRebuildReport> {
    if (this.rebuilding) throw new GateError('BUSY', 'A rebuild is running');
    this.rebuilding = true;
    try {
      return await this.access.ask((store) => store.rebuild((stream, upTo) => this.streams[stream].tail.read(0, upTo)));
    } finally {
      this.rebuilding = false;
    }
  }

  private async checkpoint(stream: LogStream, sequence: number): Promise<AuditCheckpoint> {
    const { tail, projector } = this.streams[stream];
    return {
      sequence,
      logSequence: await tail.last(),
      ...(projector.lagMs === undefined ? {} : { lagMs: Math.round(projector.lagMs) }),
      ...(projector.halted ? { halted: projector.halted.toWire() } : {}),
    };
  }
}
