import type { OnModuleDestroy, OnModuleInit } from '@nestjs/common';
import { LIMITS, type AuditCheckpoint, type AuditStatus } from '@countersign/contracts';
import type { Commands } from '../ports.js';
import { tooMany } from './tenant-bounds.js';

const ASK_EVERY_MS = 1_000;
/** A report older than this says nothing of now. */
const REPORT_HOLDS_MS = 5_000;
const RETRY_AFTER_S = 5;
const NOBODY = { tenant: '_', principal: 'gateway', correlationId: 'audit-lag' } as const;

interface Sighting { readonly sequence: number; readonly atMs: number }

/**
 * How far the audit is behind the log, as it says itself once a second. Beyond `LIMITS.auditLagMs` new proposals are refused,
 * so that what people look at never falls behind without end; everything else goes on. An audit that is not there, or has
 * stopped for good, sheds nothing: the log is the truth, and what it holds is projected later.
 */
export class AuditLag implements OnModuleInit, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;
  private asking = false;
  private reported: { readonly lagMs: number; readonly atMs: number } | undefined;
  /** By stream: ends of the log that were seen and are not projected, oldest first. */
  private readonly ahead = new Map<string, Sighting[]>();

  constructor(private readonly commands: Commands, private readonly nowMs: () => number = () => performance.now()) {}

  /** 0 when it is not known. */
  get lagMs(): number {
    const { reported } = this;
    return reported && this.nowMs() - reported.atMs <= REPORT_HOLDS_MS ? reported.lagMs : 0;
  }

  /** @throws GateError TOO_MANY_REQUESTS */
  refuseWhenBehind(): void {
    if (this.lagMs > LIMITS.auditLagMs) throw tooMany('The audit is behind; what is on its way goes on, new proposals have to wait', RETRY_AFTER_S);
  }

  onModuleInit(): void {
    this.timer = setInterval(() => { void this.ask(); }, ASK_EVERY_MS);
    this.timer.unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** One question at a time. */
  async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      this.take(await this.commands.call('audit.status', { whole: true }, NOBODY, { timeoutMs: ASK_EVERY_MS }));
    } catch {
      // Whoever watches /readyz is told that it does not answer; here the last report runs out.
    } finally {
      this.asking = false;
    }
  }

  private take({ checkpoints }: AuditStatus): void {
    const atMs = this.nowMs();
    const lags = Object.entries(checkpoints).map(([stream, checkpoint]) => this.lagOf(stream, checkpoint, atMs));
    this.reported = { lagMs: Math.max(0, ...lags), atMs };
  }

  /** The audit's own figure is of what it has projected, and so stands still when it does; the end of the log that it once named does not. */
  private lagOf(stream: string, { sequence, logSequence, lagMs = 0, halted }: AuditCheckpoint, atMs: number): number {
    const waiting = (this.ahead.get(stream) ?? []).filter((seen) => seen.sequence > sequence);
    if (halted || logSequence <= sequence) {
      this.ahead.delete(stream);
      return 0;
    }
    if (logSequence > (waiting.at(-1)?.sequence ?? 0)) waiting.push({ sequence: logSequence, atMs });
    this.ahead.set(stream, waiting.slice(0, MOST_SIGHTINGS));
    return Math.max(lagMs, atMs - waiting[0]!.atMs);
  }
}

/** Beyond the oldest of them the others only say when the lag will be over; a few minutes are enough. */
const MOST_SIGHTINGS = 300;
