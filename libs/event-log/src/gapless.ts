import { keyText, type AggregateKey, type AnyEvent, type StoredEvent } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { Loaded, Position } from './event-log.js';

/**
 * What was read of an aggregate, in order of sequence, as a load's answer.
 * @throws GateError AGGREGATE_TRUNCATED unless the revisions go on from `after` without gap or repetition
 */
export function gapless<E extends AnyEvent>(key: AggregateKey, after: Position, read: readonly StoredEvent[]): Loaded<E> {
  let { rev, sequence } = after;
  for (const event of read) {
    if (event.rev !== rev + 1 || event.sequence <= sequence) {
      throw new GateError('AGGREGATE_TRUNCATED', `${keyText(key)} goes from revision ${rev} to ${event.rev} in ${event.stream}`, {
        stream: event.stream, sequence: event.sequence, expected: rev + 1, found: event.rev,
      });
    }
    ({ rev, sequence } = event);
  }
  return { events: read as readonly StoredEvent<AnyEvent>[] as readonly StoredEvent<E>[], position: { rev, sequence } };
}
