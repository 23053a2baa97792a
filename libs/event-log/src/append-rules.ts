import {
  AUTHOR_OF, LIMITS, type AggregateKey, type NewEvent, type ServiceName,
} from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { encodeEvent, type EncodedEvent } from './event-codec.js';
import type { Position } from './event-log.js';

const TOKEN = /^[A-Za-z0-9_-]{1,128}$/;

/**
 * Every part of a key is one subject token, so that no id can widen a filter.
 * @throws GateError INVALID_REQUEST
 */
export function checkKey(key: AggregateKey): void {
  for (const part of [key.tenant, key.session, key.aggregate, key.id]) {
    if (!TOKEN.test(part)) throw new GateError('INVALID_REQUEST', `${JSON.stringify(part)} cannot be part of an aggregate’s name`);
  }
}

/**
 * What every log refuses before anything is written; else the event as it is to be stored.
 * @throws GateError INVALID_REQUEST, AGGREGATE_TOO_LONG, BODY_TOO_LARGE; INTERNAL for an event this author may not write
 */
export function prepareAppend(
  author: ServiceName, key: AggregateKey, expected: Position, event: NewEvent, stamp: { readonly id: string; readonly time: string },
): EncodedEvent {
  checkKey(key);
  if (AUTHOR_OF[event.type] !== author) throw new GateError('INTERNAL', `${author} may not append ${event.type}`);
  if (!event.type.startsWith(`${key.aggregate}.`)) throw new GateError('INTERNAL', `${event.type} does not belong to a ${key.aggregate}`);
  if ((expected.rev === 0) !== (expected.sequence === 0)) throw new GateError('INTERNAL', 'An expected position has both parts or none');
  if (expected.rev >= LIMITS.aggregateRevisions) throw new GateError('AGGREGATE_TOO_LONG');
  const encoded = encodeEvent(key, author, expected.rev + 1, event, stamp);
  if (encoded.body.byteLength > LIMITS.eventBytes) {
    throw new GateError('BODY_TOO_LARGE', `An event of ${encoded.body.byteLength} bytes is above the limit of ${LIMITS.eventBytes}`);
  }
  return encoded;
}
