import type { JsMsg } from '@nats-io/jetstream';
import type { AuditStore, Leadership, Projected, StoredEventRaw } from '@countersign/audit-store';
import { faultPoint } from '@countersign/fault-points';
import { GateError, isGateError } from '@countersign/kernel';
import { backoffMs } from '@countersign/event-log';
import type { ServiceLogger } from '@countersign/service-host';
import { Intake } from './intake.js';
import type { LogTail } from './log-tail.js';
import { rawOfDelivery } from './raw-event.js';
import { Stopping } from './stopping.js';
import type { StoreAccess } from './store-access.js';

/** A lock that another process holds is asked for again after this. */
const STANDBY_MS = 500;
const RETRY = { firstMs: 100, capMs: 5_000, random: Math.random };
const CATCH_UP_EVENTS = 2_000;
const CATCH_UP_BYTES = 8 * 1024 * 1024;

/**
 * Writes one stream of the log into the audit's tables, alone among all processes, and acknowledges what is committed.
 * Whatever fails, it begins again at the checkpoint: from there it reads the log itself, since what was delivered before
 * comes again only when its lease is over.
 */
export class Projector {
  private readonly stopping = new Stopping();
  private running: Promise<void> | undefined;
  lagMs: number | undefined;
  halted: GateError | undefined;

  constructor(private readonly tail: LogTail, private readonly access: StoreAccess, private readonly logger: ServiceLogger, private readonly now: () => Date) {}

  start(): void {
    this.running ??= this.run();
  }

  /** Ends after the batch that is being written. Idempotent. */
  async stop(): Promise<void> {
    this.stopping.now();
    await this.running;
  }

  private async run(): Promise<void> {
    let failures = 0;
    while (!this.stopping.is && !this.halted) {
      try {
        await this.leadOnce(() => { failures = 0; });
      } catch (error) {
        if (isGateError(error, 'LOG_REGRESSED')) this.halt(error);
        else if (!this.stopping.is) {
          failures += 1;
          this.logger.warn({ err: error, stream: this.tail.stream, failures }, 'the projection begins again at its checkpoint');
          await this.stopping.pause(backoffMs(failures, RETRY));
        }
      }
    }
  }

  /** Waits until no other process projects this stream, then does until something fails or stops. */
  private async leadOnce(progress: () => void): Promise<void> {
    const store = await this.access.open();
    const leadership = await this.lead(store);
    if (!leadership) return;
    try {
      await this.catchUp(store, await this.tail.last());
      await this.follow(store, progress);
    } finally {
      this.lagMs = undefined;
      await leadership.release();
    }
  }

  private async lead(store: AuditStore): Promise<Leadership | undefined> {
    while (!this.stopping.is) {
      const leadership = await store.tryLead(this.tail.stream);
      if (leadership) return leadership;
      await this.stopping.pause(STANDBY_MS);
    }
    return undefined;
  }

  private async follow(store: AuditStore, progress: () => void): Promise<void> {
    const intake = new Intake(await this.tail.consumer());
    const stop = this.stopping.then(() => void intake.stop());
    try {
      for (let batch = await intake.take(); batch.length > 0; batch = await intake.take()) {
        await this.write(store, batch);
        progress();
      }
    } finally {
      stop();
      await intake.stop();
    }
  }

  /** Acknowledged only after the commit, with all before it: the checkpoint has no gaps. */
  private async write(store: AuditStore, batch: readonly JsMsg[]): Promise<void> {
    const messages = batch.map(rawOfDelivery);
    const projected = await this.projectFromCheckpoint(store, messages);
    const newest = batch.reduce((a, b) => (b.info.streamSequence > a.info.streamSequence ? b : a));
    newest.ack();
    // What came a second time says nothing about how far behind the tables are.
    if (projected === 0) return;
    this.lagMs = Math.max(0, this.now().getTime() - newest.info.timestampNanos / 1e6);
  }

  /** What lies between the checkpoint and the batch, if anything does, is read from the log. @returns events of the batch that were new */
  private async projectFromCheckpoint(store: AuditStore, messages: readonly StoredEventRaw[]): Promise<number> {
    try {
      return await this.project(store, messages);
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    await this.catchUp(store, Math.max(...messages.map((message) => message.sequence)));
    return this.project(store, messages);
  }

  /**
   * Projects from the checkpoint by reading the log itself. It reads the checkpoint's own event again, to be compared: a
   * log that was emptied may have grown beyond the checkpoint since.
   * @throws GateError LOG_REGRESSED
   */
  private async catchUp(store: AuditStore, upTo: number): Promise<void> {
    const { stream } = this.tail;
    const checkpoint = (await store.checkpoints())[stream];
    if (upTo < checkpoint) {
      const last = await this.tail.last();
      if (last < checkpoint) throw new GateError('LOG_REGRESSED', `${stream} ends at ${last}, before the audit’s checkpoint ${checkpoint}`, { stream, checkpoint, last });
    }
    let batch: StoredEventRaw[] = [];
    let bytes = 0;
    for await (const message of this.tail.read(Math.max(0, checkpoint - 1), upTo)) {
      batch.push(message);
      bytes += message.body.byteLength;
      if (batch.length < CATCH_UP_EVENTS && bytes < CATCH_UP_BYTES) continue;
      await this.project(store, batch);
      if (this.stopping.is) return;
      batch = [];
      bytes = 0;
    }
    if (batch.length > 0) await this.project(store, batch);
  }

  /** @returns events of the batch that were new */
  private async project(store: AuditStore, batch: readonly StoredEventRaw[]): Promise<number> {
    const projected = await store.project(batch, () => faultPoint('audit.before-commit'));
    this.tellOfQuarantine(projected);
    await faultPoint('audit.after-commit');
    return projected.projected;
  }

  private tellOfQuarantine(projected: Projected): void {
    for (const { stream, sequence, reason, detail } of projected.quarantined) {
      this.logger.error({ stream, sequence, reason, detail }, 'an event cannot be projected; it stands in quarantine');
    }
  }

  private halt(error: GateError): void {
    this.halted = error;
    this.logger.error({ err: error, stream: this.tail.stream }, 'the audit of this stream has stopped: the log is not the one that was projected');
  }
}

const isMissing = (error: unknown): boolean =>
  isGateError(error, 'UNAVAILABLE') && typeof error.details === 'object' && error.details !== null && 'missing' in error.details;
