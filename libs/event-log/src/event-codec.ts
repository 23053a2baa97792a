import {
  AUTHOR_OF, EVENT_VERSIONS, HEADERS, LOG_STREAMS, STREAM_OF, eventSubject, parseEventSubject,
  type AggregateKey, type EventMeta, type EventType, type NewEvent, type ParsedSubject, type ServiceName, type StoredEvent,
} from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { fromHeaderText, headerText } from './header-text.js';

/** An event as it goes to a log: CloudEvents attributes in headers, the body is the data as JSON. */
export interface EncodedEvent {
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** An event as it lies in a log, before anybody trusts it. */
export interface RawEvent {
  readonly subject: string;
  readonly stream: string;
  readonly sequence: number;
  /** A header's last value; empty when there is none. */
  header(name: string): string;
  readonly body: Uint8Array;
}

/** @param stamp `id` is the append's attempt id, unique; `time` RFC 3339, UTC */
export function encodeEvent(
  key: AggregateKey, author: ServiceName, rev: number, event: NewEvent, stamp: { readonly id: string; readonly time: string },
): EncodedEvent {
  const { meta } = event;
  const headers: Record<string, string> = {
    [HEADERS.specversion]: '1.0',
    [HEADERS.id]: stamp.id,
    [HEADERS.type]: event.type,
    [HEADERS.version]: String(EVENT_VERSIONS[event.type]),
    [HEADERS.source]: `/countersign/${author}`,
    [HEADERS.time]: stamp.time,
    [HEADERS.tenant]: headerText(key.tenant),
    [HEADERS.actor]: headerText(meta.actor),
    [HEADERS.correlationId]: headerText(meta.correlationId),
  };
  if (meta.causationId !== undefined) headers[HEADERS.causationId] = headerText(meta.causationId);
  if (meta.traceparent !== undefined) headers[HEADERS.traceparent] = headerText(meta.traceparent);
  return { subject: eventSubject(key, author, rev), headers, body: Buffer.from(JSON.stringify(event.data), 'utf8') };
}

/**
 * The only decoder, for loads, consumers and the live feed alike.
 * @throws GateError EVENT_UNREADABLE, with stream and sequence: an unknown type, a newer version, an author who may not
 * write that type, or a body that is not JSON. Whoever decides must stop at it; only audit keeps it and goes on.
 */
export function decodeEvent(raw: RawEvent): StoredEvent {
  const parsed = parseEventSubject(raw.subject);
  if (!parsed) throw unreadable(raw, 'its subject is not an event’s');
  const type = knownType(raw, parsed);
  const meta = metaOf(raw);
  const id = raw.header(HEADERS.id);
  const time = raw.header(HEADERS.time);
  if (!id || Number.isNaN(Date.parse(time))) throw unreadable(raw, 'it has no id or no time');
  if (fromHeaderText(raw.header(HEADERS.tenant)) !== parsed.key.tenant) throw unreadable(raw, 'its tenant is not its subject’s');
  return {
    type, data: bodyOf(raw), id, version: Number(raw.header(HEADERS.version)), key: parsed.key, author: parsed.author, rev: parsed.rev,
    stream: STREAM_OF[parsed.key.aggregate], sequence: raw.sequence, time, meta,
  } as unknown as StoredEvent;
}

function knownType(raw: RawEvent, parsed: ParsedSubject): EventType {
  const type = raw.header(HEADERS.type);
  const version = Number(raw.header(HEADERS.version));
  if (raw.header(HEADERS.specversion) !== '1.0') throw unreadable(raw, 'it is no CloudEvent of version 1.0');
  if (!Object.hasOwn(EVENT_VERSIONS, type)) throw unreadable(raw, `this build does not know the type ${JSON.stringify(type)}`);
  const known = type as EventType;
  if (!Number.isSafeInteger(version) || version < 1) throw unreadable(raw, 'its version is not a number');
  if (version > EVENT_VERSIONS[known]) throw unreadable(raw, `this build reads ${type} up to version ${EVENT_VERSIONS[known]}, not ${version}`);
  if (AUTHOR_OF[known] !== parsed.author) throw unreadable(raw, `${parsed.author} may not write ${type}`);
  if (!known.startsWith(`${parsed.key.aggregate}.`)) throw unreadable(raw, `${type} does not belong to the aggregate ${parsed.key.aggregate}`);
  if (raw.stream !== STREAM_OF[parsed.key.aggregate]) throw unreadable(raw, 'it stands in the wrong stream');
  return known;
}

function metaOf(raw: RawEvent): EventMeta {
  const value = (name: string): string | undefined => {
    const decoded = fromHeaderText(raw.header(name));
    if (decoded === undefined) throw unreadable(raw, `the header ${name} is not percent-encoded UTF-8`);
    return decoded === '' ? undefined : decoded;
  };
  const causationId = value(HEADERS.causationId);
  const traceparent = value(HEADERS.traceparent);
  return {
    actor: value(HEADERS.actor) ?? '',
    correlationId: value(HEADERS.correlationId) ?? '',
    ...(causationId === undefined ? {} : { causationId }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

function bodyOf(raw: RawEvent): object {
  let body: unknown;
  try {
    body = JSON.parse(Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength).toString('utf8'));
  } catch {
    throw unreadable(raw, 'its body is not JSON');
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw unreadable(raw, 'its body is not an object');
  return body;
}

function unreadable(raw: RawEvent, why: string): GateError<'EVENT_UNREADABLE'> {
  const stream = (LOG_STREAMS as readonly string[]).includes(raw.stream) ? raw.stream : 'unknown';
  return new GateError('EVENT_UNREADABLE', `Event ${stream}:${raw.sequence} cannot be read: ${why}`, {
    stream, sequence: raw.sequence, subject: raw.subject,
  });
}
