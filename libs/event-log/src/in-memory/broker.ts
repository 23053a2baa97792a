import { keyText, parseEventSubject, type LogStream, type StoredEvent } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { decodeEvent, type EncodedEvent, type RawEvent } from '../event-codec.js';

export type LiveListener = (event: StoredEvent) => void;

/**
 * One log in memory, shared by the logs of several authors. Keeps events encoded, so that what is read went the whole
 * way. For tests; nothing of it survives the process.
 */
export class InMemoryBroker {
  private readonly streams: Record<LogStream, RawEvent[]> = { GATE: [], CATALOG: [] };
  private readonly byAggregate = new Map<string, RawEvent[]>();
  private readonly listeners = new Set<LiveListener>();
  private hidden = 0;

  /** Events as they are appended, after the append has returned. Events that cannot be read are left out. Returns the way out. */
  subscribe(listener: LiveListener): () => void {
    this.listeners.add(listener);
    return () => { this.listeners.delete(listener); };
  }

  /** Lets loads lag: they do not see the newest `events` of each stream until this is set back to 0. */
  lag(events: number): void {
    this.hidden = events;
  }

  /** Stores anything, without expectation. Whatever is not an append by a log is a test's forgery. */
  store(stream: LogStream, event: EncodedEvent): number {
    const sequence = this.streams[stream].length + 1;
    const headers = { ...event.headers };
    const raw: RawEvent = { subject: event.subject, stream, sequence, header: (name) => headers[name] ?? '', body: Uint8Array.from(event.body) };
    this.streams[stream].push(raw);
    const aggregate = aggregateOf(event.subject);
    const known = this.byAggregate.get(aggregate);
    if (known) known.push(raw); else this.byAggregate.set(aggregate, [raw]);
    queueMicrotask(() => this.tell(raw));
    return sequence;
  }

  /** An aggregate's events, oldest first. */
  of(aggregate: string): readonly RawEvent[] {
    return this.byAggregate.get(aggregate) ?? [];
  }

  /** As a load may see them. */
  visible(stream: LogStream, aggregate: string): readonly RawEvent[] {
    const upTo = this.streams[stream].length - this.hidden;
    return this.of(aggregate).filter((raw) => raw.sequence <= upTo);
  }

  last(stream: LogStream, matches: (subject: string) => boolean): number {
    return this.streams[stream].findLast((raw) => matches(raw.subject))?.sequence ?? 0;
  }

  matching(stream: LogStream, matches: (subject: string) => boolean): readonly RawEvent[] {
    return this.streams[stream].filter((raw) => matches(raw.subject));
  }

  /** Every event of a stream in order, e.g. for a projection under test. @throws GateError EVENT_UNREADABLE */
  all(stream: LogStream): StoredEvent[] {
    return this.streams[stream].map(decodeEvent);
  }

  private tell(raw: RawEvent): void {
    let event: StoredEvent;
    try {
      event = decodeEvent(raw);
    } catch (error) {
      if (error instanceof GateError) return;
      throw error;
    }
    for (const listener of this.listeners) listener(event);
  }
}

function aggregateOf(subject: string): string {
  const parsed = parseEventSubject(subject);
  return parsed ? keyText(parsed.key) : subject;
}
