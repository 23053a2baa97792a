import type { HeaderValues } from '@countersign/event-log-jetstream';

/**
 * Void: done, acknowledge (only after the append is durable). `retryInMs`: not yet, deliver again after that time; it
 * is a wait and not a failure, and never leads to a dead letter.
 */
export type Handled = void | { readonly retryInMs: number };

/** A timer's name, as it was set with `Timers.set`. */
export interface TimerFired {
  readonly name: string;
}

/** A message of a stream as it was stored. */
export interface LogMessage {
  readonly stream: string;
  readonly sequence: number;
  readonly subject: string;
  /** Read `Nats-*` headers with `.last()`: a publisher can prepend its own. */
  readonly headers?: HeaderValues;
  readonly data: Uint8Array;
}

/** One delivery of one message to this process. The second parameter of every event and timer handler (`@Ctx()`). */
export interface Delivery {
  readonly stream: string;
  readonly sequence: number;
  /** 1 at the first delivery. What a dead letter's retry sees is above any that the server made. */
  readonly deliveries: number;
  readonly message: LogMessage;
  /**
   * Aborted when the lease is over by this process's monotonic clock: the broker may have given the message to
   * another process. Whoever acts on the outside world must stop then, and must not start without looking at it.
   */
  readonly signal: AbortSignal;
  /** Of the lease, by the monotonic clock; 0 when it is over. It is extended for as long as the handler runs and the broker confirms it. */
  leaseLeftMs(): number;
  /** Asks for an extension at once instead of at the next third of the lease, unless the lease has only begun. */
  working(): void;
}
