import { AUTHOR_OF, EVENT_VERSIONS, type EventType, type ParsedSubject } from '@countersign/contracts';
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

/** @throws Unprojectable when the event is none of this build's, or was written by who may not say it */
export function readEvent(envelope: Envelope, sequence: number, body: string): ReadableEvent {
  if (envelope.problem) throw envelope.problem;
  const subject = envelope.subject!;
  const type = knownType(envelope.type!, envelope.version!);
  if (AUTHOR_OF[type] !== subject.author) throw new Unprojectable('wrong_author', `${type} is written by ${AUTHOR_OF[type]}, not by ${subject.author}`);
  if (!type.startsWith(`${subject.key.aggregate}.`)) throw new Unprojectable('wrong_aggregate', `${type} does not belong to a ${subject.key.aggregate}`);
  return { subject, type, sequence, time: envelope.time, correlationId: envelope.correlationId, data: parse(body) };
}

function knownType(type: string, version: number): EventType {
  if (!Object.hasOwn(EVENT_VERSIONS, type)) throw new Unprojectable('type_unknown', `type ${type.slice(0, 100)}`);
  const known = EVENT_VERSIONS[type as EventType];
  if (version > known) throw new Unprojectable('version_newer', `${type} of version ${version}; this build knows ${known}`);
  return type as EventType;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw new Unprojectable('not_json', 'the body is not JSON');
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
