import { LIMITS, LOG_STREAMS, sessionFilter, tenantFilter, type LogStream, type SessionId, type StoredEvent, type TenantId } from '@countersign/contracts';
import type { EventLog } from '@countersign/event-log';
import { isGateError } from '@countersign/kernel';
import type { History, LiveFeed } from '../ports.js';
import { Bell } from '../waiting/bell.js';
import { advanced, type Cursor } from './cursor.js';

/** Which part of the log a reader follows. */
export interface Scope {
  readonly filter: string;
  readonly streams: readonly LogStream[];
}

export const tenantScope = (tenant: TenantId): Scope => ({ filter: tenantFilter(tenant), streams: LOG_STREAMS });
/** What can change the queue of approvals: the tenant's plans and sessions. */
export const planScope = (tenant: TenantId): Scope => ({ filter: tenantFilter(tenant), streams: ['GATE'] });
/** A session and its plans; the catalogue has nothing of them. */
export const sessionScope = (tenant: TenantId, session: SessionId): Scope => ({ filter: sessionFilter(tenant, session), streams: ['GATE'] });

export interface FollowParts { readonly log: EventLog; readonly history: History; readonly feed: LiveFeed }

/** Where an event lies that cannot be read; nothing else of it can be trusted. */
export interface Unreadable { readonly stream: LogStream; readonly sequence: number }

/** An event, or the place of one that cannot be read, and how far the reader has come with it; with neither: nothing happened for a while. */
export interface Followed { readonly event?: StoredEvent; readonly unreadable?: Unreadable; readonly cursor: Cursor }

/** Before the log is read again when it did not give what it is known to hold. */
const LAG_MS = 50;

/**
 * Everything of a scope after a cursor, each event once and in the order of its stream: subscribe, catch up from the
 * log, then live. Whenever something may have been missed (a gap in the feed, more than can be buffered) it catches up
 * again, so what is delivered never depends on the feed. An event that cannot be read is told by its place and passed: the
 * reader decides nothing, and what comes behind is owed to it.
 */
export class LogFollower {
  private readonly queue: StoredEvent[] = [];
  private readonly bell = new Bell();
  /** What the log is known to hold of the scope. Behind it the log is read, and the feed only raises it. */
  private readonly target: Record<LogStream, number> = { GATE: 0, CATALOG: 0 };
  private unsure = true;

  constructor(
    private readonly parts: FollowParts, private readonly scope: Scope, private cursor: Cursor, private readonly maxBuffered: number = LIMITS.sseBufferedEvents,
  ) {}

  async *follow(signal: AbortSignal, idleMs: number = LIMITS.sseKeepAliveMs): AsyncGenerator<Followed> {
    const unsubscribe = this.parts.feed.listen(this.scope.filter, { event: (event) => this.see(event), missed: () => this.doubt() });
    signal.addEventListener('abort', this.bell.ring);
    try {
      while (!signal.aborted) {
        if (this.unsure) await this.raiseTargets();
        const behind = this.behind();
        if (behind) yield* this.catchUp(behind, signal);
        else if (this.queue.length > 0) yield* this.fromQueue();
        else if (!(await this.bell.rings(idleMs)) && !signal.aborted) {
          this.unsure = true;
          yield { cursor: this.cursor };
        }
      }
    } finally {
      signal.removeEventListener('abort', this.bell.ring);
      unsubscribe();
    }
  }

  private see(event: StoredEvent): void {
    if (!this.scope.streams.includes(event.stream)) return;
    if (this.unsure || this.behind() !== undefined) this.raise(event);
    else if (this.queue.length < this.maxBuffered) this.queue.push(event);
    else for (const waiting of [...this.queue.splice(0), event]) this.raise(waiting);
    this.bell.ring();
  }

  private doubt(): void {
    this.unsure = true;
    this.bell.ring();
  }

  private raise(event: StoredEvent): void {
    this.target[event.stream] = Math.max(this.target[event.stream], event.sequence);
  }

  private async raiseTargets(): Promise<void> {
    this.unsure = false;
    for (const stream of this.scope.streams) {
      const last = await this.parts.log.lastSequence(stream, this.scope.filter);
      this.target[stream] = Math.max(this.target[stream], last);
    }
  }

  private behind(): LogStream | undefined {
    return this.scope.streams.find((stream) => this.cursor[stream] < this.target[stream]);
  }

  /** From the log, as fast as the reader takes it. */
  private async *catchUp(stream: LogStream, signal: AbortSignal): AsyncGenerator<Followed> {
    const before = this.cursor[stream];
    try {
      for await (const event of this.parts.history.from(stream, this.scope.filter, before)) {
        if (signal.aborted) return;
        yield* this.next(event);
      }
    } catch (error) {
      yield this.pass(error, stream);
    }
    if (this.cursor[stream] === before) await new Promise((resolve) => setTimeout(resolve, LAG_MS));
  }

  private async *fromQueue(): AsyncGenerator<Followed> {
    for (let event = this.queue.shift(); event; event = this.behind() === undefined ? this.queue.shift() : undefined) yield* this.next(event);
  }

  /** @throws what it was given, unless that is an event behind the cursor that cannot be read */
  private pass(error: unknown, stream: LogStream): Followed {
    const sequence = isGateError(error, 'EVENT_UNREADABLE') ? (error.details as { readonly sequence?: unknown } | undefined)?.sequence : undefined;
    if (typeof sequence !== 'number' || !(sequence > this.cursor[stream])) throw error;
    this.cursor = advanced(this.cursor, stream, sequence);
    return { unreadable: { stream, sequence }, cursor: this.cursor };
  }

  private *next(event: StoredEvent): Generator<Followed> {
    if (event.sequence <= this.cursor[event.stream]) return;
    this.cursor = advanced(this.cursor, event.stream, event.sequence);
    yield { event, cursor: this.cursor };
  }
}
