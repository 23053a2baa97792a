import type { AggregateKey, AnyEvent, EventMeta, StoredEvent } from '@countersign/contracts';
import type { Decision } from '@countersign/kernel';
import type { Position } from './event-log.js';

/** An aggregate folded up to `position`. */
export interface Folded<State> {
  readonly state: State;
  readonly position: Position;
}

export interface TransactOptions {
  readonly meta: EventMeta;
  /** The log has this sequence of the aggregate at least; loading less is `UNAVAILABLE` (a lagging replica: try later). */
  readonly atLeast?: number;
  /** The aggregate is expected not to exist, so nothing is read first: if it does, the append's expectation finds out. */
  readonly presumedNew?: boolean;
  /** For what reports an effect: keep trying after `LIMITS.contentionMs` instead of `BUSY`. */
  readonly untilItLands?: boolean;
}

export interface Transacted<Reply> {
  readonly reply: Reply;
  /** Of the appended event, or of the aggregate's end when nothing was appended. */
  readonly position: Position;
  readonly appended: boolean;
}

/**
 * Folds of one kind of aggregate, with an LRU in the process. A cached fold may decide positively, since the expected
 * sequence proves it; a refusal (a thrown GateError) or "nothing to do" is decided again on a fold the leader confirms.
 */
export interface AggregateStore<State, Event extends AnyEvent> {
  /**
   * Reads only what is newer than the cached fold. May lag. With `atLeast` it does not return less, and reads nothing
   * when the cached fold has that already.
   * @throws GateError UNAVAILABLE when the log does not show `atLeast` within a few short tries
   */
  get(key: AggregateKey, atLeast?: number): Promise<Folded<State>>;
  /** What this process knows by now, without a read. Says only what can never become false again; undefined says nothing. */
  known(key: AggregateKey): Folded<State> | undefined;
  /** As the leader has it now. */
  fresh(key: AggregateKey): Promise<Folded<State>>;
  /** Folds a delivered event into the cache when it is the next one; otherwise does nothing. */
  observe(event: StoredEvent<Event>): void;
  /**
   * Loads, decides, appends at most one event; on conflict loads and decides again.
   * @throws whatever `decide` refuses with; GateError BUSY, UNAVAILABLE
   */
  transact<Reply>(
    key: AggregateKey,
    decide: (folded: Folded<State>) => Decision<Event, Reply> | Promise<Decision<Event, Reply>>,
    options: TransactOptions,
  ): Promise<Transacted<Reply>>;
}
