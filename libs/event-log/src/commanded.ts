import type { Accepted, CommandContext, EventMeta } from '@countersign/contracts';
import type { Transacted } from './aggregate-store.js';

/** What is said of an event that a command led to. @param as how the caller acts: an agent proposes, a person answers and administers */
export const metaOf = (context: CommandContext, as: 'agent' | 'person'): EventMeta => ({
  actor: `${as}:${context.principal}`,
  correlationId: context.correlationId,
  ...(context.traceparent === undefined ? {} : { traceparent: context.traceparent }),
});

/** The reply to a command: where the log stood after it, and whether it had been done before. */
export function acceptedOf({ position, reply }: Transacted<{ readonly repeated: boolean; readonly version?: number }>): Accepted {
  return {
    sequence: position.sequence,
    ...(reply.repeated ? { repeated: true as const } : {}),
    ...(reply.version === undefined ? {} : { version: reply.version }),
  };
}
