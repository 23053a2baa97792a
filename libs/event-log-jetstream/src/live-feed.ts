import type { Msg, Subscription } from '@nats-io/transport-node';
import { LIVE_PREFIX, LOG_STREAMS, parseEventSubject, type LogStream, type StoredEvent } from '@countersign/contracts';
import { isGateError } from '@countersign/kernel';
import { serverHeader, type BrokerAccess } from './broker-connection.js';
import { decodeStored } from './decode-stored.js';
import { directRead, sequenceOf } from './direct-reads.js';
import { leaderLast } from './leader-reads.js';

export interface LiveListener {
  /** In order within a stream; one may come twice when the leader of a stream changes. Must return soon and not throw. */
  event(event: StoredEvent): void;
  /** Events may have been lost, or one cannot be read: look into the log. */
  missed(): void;
}

export interface LiveFeedOptions extends BrokerAccess {
  /** A fault that concerns nobody who listens: a listener that throws, a foreign message. */
  readonly onFault: (fault: unknown) => void;
  /** How often a silent stream is looked at for what the feed did not bring. Default 2,000 ms. */
  readonly watchMs?: number;
}

const ANSWER_MS = 2_000;

/**
 * What is appended, as it is appended: the streams' republish, one subscription a process, given out to listeners by
 * filter. It can lose messages; it finds out (by the streams' sequence numbers) and tells its listeners. So the order
 * is always: listen, load, wait.
 */
export class LiveFeed {
  private readonly listeners = new Map<string, Set<LiveListener>>();
  private readonly last = new Map<LogStream, number>();
  private readonly moved = new Set<LogStream>();
  private subscription: Subscription | undefined;
  private watch: NodeJS.Timeout | undefined;

  constructor(private readonly options: LiveFeedOptions) {}

  /** Once this returns, whatever is appended afterwards is delivered or reported as missed. */
  async start(): Promise<void> {
    const { connection } = this.options;
    this.subscription = connection.subscribe(`${LIVE_PREFIX}>`, { callback: (error, message) => { if (!error) this.deliver(message); } });
    await connection.flush();
    for (const stream of LOG_STREAMS) {
      const last = await leaderLast(this.options, stream, '>', { answerMs: ANSWER_MS, withinMs: 2 * ANSWER_MS });
      this.last.set(stream, Math.max(this.last.get(stream) ?? 0, last?.seq ?? 0));
    }
    this.watch = setInterval(() => { void this.lookForLosses(); }, this.options.watchMs ?? 2_000).unref();
  }

  /** Idempotent. Listeners hear nothing more. */
  stop(): void {
    clearInterval(this.watch);
    if (this.subscription && !this.options.connection.isClosed()) this.subscription.unsubscribe();
    this.subscription = undefined;
    this.listeners.clear();
  }

  /** @param filter as `aggregateFilter`, `sessionFilter` and `tenantFilter` build it, or `evt.>`. Returns the way out. */
  listen(filter: string, listener: LiveListener): () => void {
    if (!/^evt\.([A-Za-z0-9_-]+\.){0,4}>$/.test(filter)) throw new TypeError(`${filter} is no filter of the live feed`);
    const prefix = filter.slice(0, -1);
    const set = this.listeners.get(prefix) ?? new Set();
    this.listeners.set(prefix, set.add(listener));
    return () => {
      set.delete(listener);
      if (set.size === 0 && this.listeners.get(prefix) === set) this.listeners.delete(prefix);
    };
  }

  private deliver(message: Msg): void {
    const subject = message.subject.slice(LIVE_PREFIX.length);
    const parsed = parseEventSubject(subject);
    if (!parsed) {
      this.options.onFault(new Error(`${message.subject} is no event’s subject`));
      return;
    }
    this.note(serverHeader(message, 'Nats-Stream') as LogStream, sequenceOf(message));
    const heard = prefixesOf(subject).flatMap((prefix) => [...this.listeners.get(prefix) ?? []]);
    if (heard.length > 0) this.tell(heard, message);
  }

  private tell(listeners: readonly LiveListener[], message: Msg): void {
    let event: StoredEvent | undefined;
    try {
      event = decodeStored(message);
    } catch (error) {
      if (!isGateError(error, 'EVENT_UNREADABLE')) throw error;
    }
    for (const listener of listeners) this.safely(() => (event ? listener.event(event) : listener.missed()));
  }

  /** A stream's sequence numbers have no gaps, so one in what arrives is a loss. */
  private note(stream: LogStream, sequence: number): void {
    const last = this.last.get(stream);
    this.moved.add(stream);
    if (last !== undefined && sequence <= last) return;
    this.last.set(stream, sequence);
    if (last !== undefined && sequence > last + 1) this.tellAllMissed();
  }

  /** Without a later message no gap would show. */
  private async lookForLosses(): Promise<void> {
    for (const stream of LOG_STREAMS) {
      const last = this.last.get(stream);
      if (last === undefined || this.moved.delete(stream)) continue;
      try {
        const { messages, pending } = await directRead(this.options, stream, { seq: last + 1, batch: 1 }, ANSWER_MS);
        const found = messages[0];
        if (!found || this.last.get(stream) !== last) continue;
        this.last.set(stream, sequenceOf(found) + pending);
        this.tellAllMissed();
      } catch (error) {
        if (!isGateError(error, 'UNAVAILABLE')) this.options.onFault(error);
      }
    }
  }

  private tellAllMissed(): void {
    for (const listener of [...this.listeners.values()].flatMap((set) => [...set])) this.safely(() => listener.missed());
  }

  private safely(tell: () => void): void {
    try {
      tell();
    } catch (fault) {
      this.options.onFault(fault);
    }
  }
}

/** `evt.`, `evt.<tenant>.`, … `evt.<tenant>.<session>.<aggregate>.<id>.` */
function prefixesOf(subject: string): string[] {
  const prefixes: string[] = [];
  for (let depth = 0, dot = subject.indexOf('.'); depth < 5 && dot >= 0; depth += 1, dot = subject.indexOf('.', dot + 1)) {
    prefixes.push(subject.slice(0, dot + 1));
  }
  return prefixes;
}
