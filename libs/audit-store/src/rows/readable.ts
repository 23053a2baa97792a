import { AUTHOR_OF, EVENT_VERSIONS, LIMITS, type EventType, type ParsedSubject } from '@countersign/contracts';
import { decodeEvent } from '@countersign/event-log';
import { isGateError } from '@countersign/kernel';
import type { StoredEventRaw } from '../raw-event.js';
import { nestingOf } from './nesting.js';
import type { Envelope } from './envelope.js';
import { Unprojectable } from './unprojectable.js';

/** An event that this build knows; its data still is anything that JSON can say. */
export interface ReadableEvent {
  readonly subject: ParsedSubject;
  readonly type: EventType;
  readonly sequence: number;
  readonly time: string;
  readonly correlationId: string | null;
  readonly data: unknown;
}

/**
 * What counts as a fact is what every service can read, by the one decoder; the reasons before it only say more exactly
 * why it would refuse.
 * @throws Unprojectable when the event is none of this build's, or was written by who may not say it
 */
export function readEvent(envelope: Envelope, message: StoredEventRaw): ReadableEvent {
  if (envelope.problem) throw envelope.problem;
  const subject = envelope.subject!;
  const type = knownType(envelope.type!, envelope.version!);
  if (AUTHOR_OF[type] !== subject.author) throw new Unprojectable('wrong_author', `${type} is written by ${AUTHOR_OF[type]}, not by ${subject.author}`);
  if (!type.startsWith(`${subject.key.aggregate}.`)) throw new Unprojectable('wrong_aggregate', `${type} does not belong to a ${subject.key.aggregate}`);
  return { subject, type, sequence: message.sequence, time: envelope.time, correlationId: envelope.correlationId, data: decoded(message) };
}

function knownType(type: string, version: number): EventType {
  if (!Object.hasOwn(EVENT_VERSIONS, type)) throw new Unprojectable('type_unknown', `type ${type.slice(0, 100)}`);
  const known = EVENT_VERSIONS[type as EventType];
  if (version > known) throw new Unprojectable('version_newer', `${type} of version ${version}; this build knows ${known}`);
  return type as EventType;
}

/** Four times what the gate lets in. */
const DEEPEST = 4 * LIMITS.jsonDepth;

function decoded(message: StoredEventRaw): unknown {
  if (nestingOf(message.body) > DEEPEST) throw new Unprojectable('too_deep', `the body nests deeper than ${DEEPEST}`);
  const { stream, sequence, subject, headers, body } = message;
  try {
    return decodeEvent({ stream, sequence, subject, body, header: (name) => headers[name]?.at(-1) ?? '' }).data;
  } catch (error) {
    if (!isGateError(error, 'EVENT_UNREADABLE')) throw error;
    throw new Unprojectable('unreadable', error.message);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The body as PostgreSQL's text can hold it. @throws Unprojectable not_utf8, holds_nul */
export function bodyText(body: Uint8Array): string {
  if (body.includes(0)) throw new Unprojectable('holds_nul', 'the body holds NUL');
  try {
    return decoder.decode(body);
  } catch {
    throw new Unprojectable('not_utf8', 'the body is not UTF-8');
  }
}
