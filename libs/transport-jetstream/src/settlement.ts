import { tellable } from './tellable.js';
import type { Outcome } from './outcome.js';

/** What becomes of a delivery. */
export type Settlement =
  | { readonly kind: 'ack' }
  /** A dead letter: the server's advisory names it, with this reason. */
  | { readonly kind: 'term'; readonly reason: string }
  /** The server delivers it again after that time. Costs one delivery. */
  | { readonly kind: 'nak'; readonly delayMs: number }
  /** Stays with this process under an extended lease and is run again after that time. Costs no delivery. */
  | { readonly kind: 'hold'; readonly forMs: number };

export interface Tries {
  /** Of the server, this one included: every nak, lost lease and dead process before this one counted one. */
  readonly deliveries: number;
  /** The consumer's; 0 or less: no bound. */
  readonly maxDeliver: number;
  /** Runs under this one delivery before this one. */
  readonly repeats: number;
  /** The stream loses what is terminated. */
  readonly forgetsTerminated: boolean;
}

const LAG_FIRST_MS = 25;
const LAG_MOST_MS = 5_000;
const FAILURE_FIRST_MS = 100;
const FAILURE_MOST_MS = 30_000;

/**
 * The server counts deliveries and knows nothing of reasons: a nak with a delay counts like a crash. So that waiting
 * never makes a dead letter, a wait may use half of the deliveries; after that it is held in the process, where only
 * the death of the process costs another one. Failures always find the other half.
 */
export function settle(outcome: Outcome, tries: Tries): Settlement {
  switch (outcome.kind) {
    case 'done':
      return { kind: 'ack' };
    case 'wait':
      return waiting(outcome.ms, tries);
    case 'unavailable':
      return waiting(exponential(LAG_FIRST_MS, LAG_MOST_MS, tries), tries);
    case 'unreadable':
      return waiting(exponential(FAILURE_FIRST_MS, FAILURE_MOST_MS, tries), tries);
    case 'unparsable':
      return { kind: 'term', reason: `unparsable: ${tellable(outcome.error)}` };
    case 'given up':
      return givenUp(outcome.error, tries);
    case 'failed':
      return isLast(tries) ? givenUp(outcome.error, tries) : { kind: 'nak', delayMs: exponential(FAILURE_FIRST_MS, FAILURE_MOST_MS, tries) };
  }
}

/** A termination tells people the reason; where it would lose the message, the server's own advisory must do. */
function givenUp(error: Error, { forgetsTerminated }: Tries): Settlement {
  return forgetsTerminated ? { kind: 'nak', delayMs: 0 } : { kind: 'term', reason: `failed: ${tellable(error)}` };
}

/** Deliveries that waits may use up. */
export const waitBudget = (maxDeliver: number): number => (maxDeliver <= 0 ? Number.POSITIVE_INFINITY : Math.floor(maxDeliver / 2));

function waiting(ms: number, tries: Tries): Settlement {
  return tries.deliveries <= waitBudget(tries.maxDeliver) ? { kind: 'nak', delayMs: ms } : { kind: 'hold', forMs: ms };
}

function exponential(firstMs: number, mostMs: number, { deliveries, repeats }: Tries): number {
  return Math.min(mostMs, firstMs * 2 ** Math.min(30, deliveries - 1 + repeats));
}

const isLast = ({ deliveries, maxDeliver }: Tries): boolean => maxDeliver > 0 && deliveries >= maxDeliver;
