/**
 * What is left to be spent on the conditions of one item, in steps. Counted and not timed, so that judging again gives the
 * same. A step is a node of a condition, or as much text or list as is gone through in about a microsecond.
 */
export class Budget {
  constructor(private left: number) {}

  /** @throws OutOfSteps */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw OUT_OF_STEPS;
  }

  /** What was spent already: never throws. */
  charge(steps: number): void {
    this.left -= steps;
  }

  get remaining(): number {
    return Math.max(0, this.left);
  }
}

/** One object for all: it may be thrown once for every element of a long list. */
const OUT_OF_STEPS = new Error('the condition takes more steps than it may');
/** For the one condition that is being evaluated: evaluation is synchronous and conditions do not call each other. */
let current = new Budget(0);

export const spend = (steps: number): void => current.spend(steps);

/**
 * Evaluates within a condition's own bound and the item's.
 * @param atOnce steps that it takes in any case
 */
export function within<T>(item: Budget, most: number, atOnce: number, evaluate: () => T): T {
  const before = Math.min(most, item.remaining);
  current = new Budget(before);
  // Errors are results here, and a trace would cost more than the condition.
  const traces = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    current.spend(atOnce);
    return evaluate();
  } finally {
    Error.stackTraceLimit = traces;
    item.charge(before - current.remaining);
  }
}
