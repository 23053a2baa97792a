/**
 * Every place where a fault can be injected, named after the step it stands before or after. A literal union, so that
 * a test cannot ask for a place that does not exist.
 */
export const FAULT_POINTS = [
  /** The message is parsed; its handler has not run. */
  'runner.before-handler',
  /** The handler has resolved (its append is durable); the message is not acknowledged. */
  'runner.before-ack',
  /** A command's handler has resolved; nobody has been told. */
  'command.before-reply',
  'planner.before-append',
  'planner.after-append',
  'preview-fanout.before-append',
  'policy.before-append',
  'policy.after-append',
  'executor.before-start',
  /** ApplyStarted is durable; the provider has not been called. */
  'executor.before-apply',
  /** The provider has answered; the outcome is not written. */
  'executor.before-outcome',
  'executor.after-outcome',
  /** The event is known to be told; nothing of it is in the outbox. */
  'notifier.before-outbox',
  'notifier.before-delivery',
  /** The receiver has answered; the delivery is not settled. */
  'notifier.after-delivery',
  /** Rows and checkpoint are written; the transaction is not committed. */
  'audit.before-commit',
  'audit.after-commit',
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];
