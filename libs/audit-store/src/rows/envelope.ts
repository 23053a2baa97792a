import { HEADERS, parseEventSubject, type ParsedSubject } from '@countersign/contracts';
import { canonicalJson } from '@countersign/kernel';
import type { StoredEventRaw } from '../raw-event.js';
import { identifier, isTime, text } from './cells.js';
import { Unprojectable } from './unprojectable.js';

/** Where events stand whose own time says nothing. */
export const UNTIMED = '1970-01-01T00:00:00.000Z';

/** What subject and headers say, as far as they can be read and stored. */
export interface Envelope {
  readonly subject: ParsedSubject | undefined;
  readonly subjectText: string | null;
  readonly time: string;
  readonly type: string | null;
  readonly version: number | null;
  readonly id: string | null;
  readonly source: string | null;
  readonly actor: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  readonly traceparent: string | null;
  /** Canonical JSON of the headers that the fields above do not say verbatim. */
  readonly otherHeaders: string | null;
  /** The first thing that could not be read; the event is then quarantined. */
  readonly problem: Unprojectable | undefined;
}

export function readEnvelope(message: StoredEventRaw): Envelope {
  const problems: Unprojectable[] = [];
  const attempt = <T>(read: () => T): T | null => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof Unprojectable)) throw error;
      problems.push(error);
      return null;
    }
  };
  const subjectText = attempt(() => text(message.subject, 'subject'));
  const subject = attempt(() => readSubject(message.subject)) ?? undefined;
  const required = (name: string): string => identifier(message.headers[name]?.at(-1), `header ${name}`);
  const optional = (name: string): string | null => (message.headers[name] ? text(message.headers[name].at(-1), `header ${name}`) : null);
  const fields = {
    type: attempt(() => required(HEADERS.type)),
    version: attempt(() => readVersion(message.headers[HEADERS.version]?.at(-1))),
    id: attempt(() => required(HEADERS.id)),
    time: attempt(() => readTime(message.headers[HEADERS.time]?.at(-1))) ?? UNTIMED,
    source: attempt(() => optional(HEADERS.source)),
    actor: attempt(() => optional(HEADERS.actor)),
    correlationId: attempt(() => optional(HEADERS.correlationId)),
    causationId: attempt(() => optional(HEADERS.causationId)),
    traceparent: attempt(() => optional(HEADERS.traceparent)),
  };
  const otherHeaders = otherHeadersOf(message, fields, subject?.key.tenant);
  return { subject, subjectText, ...fields, otherHeaders, problem: problems[0] };
}

/** Subject and every header of the writer, as canonical JSON: what quarantine keeps. */
export function envelopeText(message: StoredEventRaw): string {
  const headers = writersHeaders(message).map(([name, values]) => [wellFormed(name), values.map(wellFormed)] as const);
  return canonicalJson({ subject: wellFormed(message.subject), headers: Object.fromEntries(headers) });
}

const wellFormed = (value: string): string => value.toWellFormed();

function readSubject(subject: string): ParsedSubject {
  const parsed = parseEventSubject(subject);
  if (!parsed || subject.startsWith('live.')) throw new Unprojectable('subject_unreadable', 'the subject is not an event’s');
  for (const token of [parsed.key.tenant, parsed.key.session, parsed.key.id, parsed.author]) identifier(token, 'subject token');
  return parsed;
}

function readVersion(value: string | undefined): number {
  if (value === undefined || !/^[1-9]\d{0,8}$/.test(value)) throw new Unprojectable('headers_unreadable', `header ${HEADERS.version} is not a version`);
  return Number(value);
}

function readTime(value: string | undefined): string {
  if (value === undefined || !isTime(value)) throw new Unprojectable('headers_unreadable', `header ${HEADERS.time} is not an RFC 3339 time in UTC`);
  return value;
}

/** A header is said by its column when the column's text is the header's only value. */
function otherHeadersOf(message: StoredEventRaw, fields: Omit<Envelope, 'subject' | 'subjectText' | 'otherHeaders' | 'problem'>, tenant: string | undefined): string | null {
  const said: Readonly<Record<string, string | null | undefined>> = {
    [HEADERS.specversion]: '1.0',
    [HEADERS.type]: fields.type,
    [HEADERS.version]: fields.version === null ? null : String(fields.version),
    [HEADERS.id]: fields.id,
    [HEADERS.time]: asStored(fields.time),
    [HEADERS.source]: fields.source,
    [HEADERS.actor]: fields.actor,
    [HEADERS.correlationId]: fields.correlationId,
    [HEADERS.causationId]: fields.causationId,
    [HEADERS.traceparent]: fields.traceparent,
    [HEADERS.tenant]: tenant,
  };
  const others = writersHeaders(message).filter(([name, values]) => values.length !== 1 || said[name] !== values[0]);
  if (others.length === 0) return null;
  return canonicalJson(Object.fromEntries(others.map(([name, values]) => [wellFormed(name), values.map(wellFormed)])));
}

/** A time as it comes out of the column again; milliseconds and `Z` are how every service writes it. */
const asStored = (time: string): string => (/\.\d{3}Z$/.test(time) ? time : new Date(time).toISOString());

const writersHeaders = (message: StoredEventRaw): [string, readonly string[]][] =>
  Object.entries(message.headers).filter(([name]) => !/^nats-/i.test(name));
