import { deepStrictEqual, fail } from 'node:assert/strict';
import type { AnyEvent, ErrorCode } from '@countersign/contracts';
import { GateError, foldOf, type Decision, type Fold } from '@countersign/kernel';

export type Decide<State, Event extends AnyEvent, Command, Reply> = (state: State, command: Command) => Decision<Event, Reply>;

/** What a decision said, to be compared. Every comparison is deep, exact in its fields, and in order. */
export interface Expectation<Event extends AnyEvent, Reply> {
  /** These events and no other. A decision gives at most one, so a longer list never holds. */
  then(events: readonly Event[]): Expectation<Event, Reply>;
  /** No event, and no refusal either. */
  thenNothing(): Expectation<Event, Reply>;
  thenReply(reply: Reply): Expectation<Event, Reply>;
  /** @param details compared when given */
  thenRefused(code: ErrorCode, details?: unknown): void;
}

export interface Given<Event extends AnyEvent, Command, Reply> {
  given(events: readonly Event[]): { when(command: Command): Expectation<Event, Reply> };
}

/**
 * given / when / then over any fold and decision function:
 * `scenario(planFold, answerItems).given([proposed]).when(command).then([answered])`.
 * Only for specs.
 */
export function scenario<State, Event extends AnyEvent, Command, Reply>(
  fold: Fold<State, Event>, decide: Decide<State, Event, Command, Reply>,
): Given<Event, Command, Reply> {
  return {
    given: (events) => ({
      when: (command) => expectationOf(attempt(() => decide(foldOf(fold, events), command))),
    }),
  };
}

type Attempt<Event extends AnyEvent, Reply> = { readonly decision: Decision<Event, Reply> } | { readonly refusal: GateError };

/** A refusal is part of the answer; any other error is a fault and goes through. */
function attempt<Event extends AnyEvent, Reply>(decide: () => Decision<Event, Reply>): Attempt<Event, Reply> {
  try {
    return { decision: decide() };
  } catch (error) {
    if (error instanceof GateError) return { refusal: error };
    throw error;
  }
}

function expectationOf<Event extends AnyEvent, Reply>(made: Attempt<Event, Reply>): Expectation<Event, Reply> {
  const decided = (): Decision<Event, Reply> =>
    ('decision' in made ? made.decision : fail(`refused with ${made.refusal.code}: ${made.refusal.message}`));
  const expectation: Expectation<Event, Reply> = {
    then(events) {
      const { event } = decided();
      deepStrictEqual(event === undefined ? [] : [event], events);
      return expectation;
    },
    thenNothing() {
      deepStrictEqual(decided().event, undefined);
      return expectation;
    },
    thenReply(reply) {
      deepStrictEqual(decided().reply, reply);
      return expectation;
    },
    thenRefused(code, details) {
      if ('decision' in made) fail(`expected ${code}, but it decided ${JSON.stringify(made.decision)}`);
      deepStrictEqual(made.refusal.code, code);
      if (details !== undefined) deepStrictEqual(made.refusal.details, details);
    },
  };
  return expectation;
}
