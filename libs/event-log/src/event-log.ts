import type { AggregateKey, AnyEvent, NewEvent, ServiceName, StoredEvent } from '@countersign/contracts';

/** Where an aggregate stood when a decision was made. `rev` 0 and `sequence` 0: it has no event yet. */
export interface Position {
  readonly rev: number;
  /** Stream sequence of the aggregate's last event: the expectation of the next append. */
  readonly sequence: number;
}

export const NOWHERE: Position = { rev: 0, sequence: 0 };

export interface Loaded<E extends AnyEvent = AnyEvent> {
  /** Gapless from revision `after + 1`, in order. */
  readonly events: readonly StoredEvent<E>[];
  readonly position: Position;
}

export type AppendResult = { readonly appended: true; readonly position: Position } | { readonly appended: false; readonly conflict: true };

/**
 * The log, as one service sees it: it appends under its own author token only. `eventLogContract` says what every
 * implementation must do. Must not be used to list or search: that is what the audit's read tables are for.
 */
export interface EventLog {
  readonly author: ServiceName;

  /**
   * The aggregate's events after a position already known (default: from the beginning). May lag behind an
   * acknowledgement on another replica; nothing negative may rest on it alone.
   * @throws GateError AGGREGATE_TRUNCATED (a gap), EVENT_UNREADABLE (unknown type or newer version), UNAVAILABLE
   */
  load<E extends AnyEvent>(key: AggregateKey, after?: Position): Promise<Loaded<E>>;

  /** Where the aggregate ends, by the stream's leader: never behind an acknowledgement. */
  end(key: AggregateKey): Promise<Position>;

  /** Sequence of the last event whose subject matches, by the leader; 0 when there is none. E.g. all of a tenant's catalogue. */
  lastSequence(stream: 'GATE' | 'CATALOG', filter: string): Promise<number>;

  /**
   * Every event whose subject matches, after a sequence, in the stream's order, up to the leader's last one when it is first asked. For
   * the few of one session or one tenant; never to search a stream.
   * @throws GateError EVENT_UNREADABLE, UNAVAILABLE
   */
  follow(stream: 'GATE' | 'CATALOG', filter: string, afterSequence: number): AsyncIterable<StoredEvent>;

  /**
   * Appends one event as revision `expected.rev + 1` if the aggregate still ends at `expected`.
   * After an ambiguous time-out it looks for its own attempt, so `appended` is always the truth.
   * @throws GateError UNAVAILABLE (nothing was or may have been written: the caller must load again), AGGREGATE_TOO_LONG
   */
  append<E extends AnyEvent>(key: AggregateKey, expected: Position, event: NewEvent<E>): Promise<AppendResult>;
}

/** Bodies that do not stand in their event. Content-addressed: writing the same twice is one write. */
export interface BlobStore {
  put(store: 'BLOBS' | 'RESULTS', tenant: string, digest: string, bytes: Uint8Array): Promise<void>;
  /** @throws GateError BLOB_MISSING when it is not there, not whole, or does not fit its digest */
  get(store: 'BLOBS' | 'RESULTS', tenant: string, digest: string): Promise<Uint8Array>;
}

/** Durable timers; they fire at or up to half a second after their time, at least once, and are never cancelled. */
export interface Timers {
  /** @param name unique per purpose; setting it again moves it. A subject token chain such as `plan.<tenant>.<id>` */
  set(name: string, at: Date): Promise<void>;
}
