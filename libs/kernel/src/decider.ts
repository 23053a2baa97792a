import type { AnyEvent } from '@countersign/contracts';

/**
 * How an aggregate is folded. `evolve` is total: it never throws, never logs, and ignores what changes nothing.
 * No clock, id or randomness inside; they arrive in events and commands.
 */
export interface Fold<State, Event extends AnyEvent = AnyEvent> {
  readonly initial: State;
  readonly evolve: (state: State, event: Event) => State;
}

/** What a decision function says: at most one event (one transition, one message), and what the caller is told. */
export interface Decision<Event extends AnyEvent, Reply> {
  /** Absent: nothing changes, because it already is so. */
  readonly event?: Event;
  readonly reply: Reply;
}

export const foldOf = <S, E extends AnyEvent>(fold: Fold<S, E>, events: readonly E[]): S => events.reduce(fold.evolve, fold.initial);
