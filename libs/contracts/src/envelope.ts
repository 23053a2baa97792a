import type { AnyEvent, EventType } from './events/index.js';
import type { LogStream, ServiceName } from './flow.js';
import type { AggregateKey } from './subjects.js';

/** CloudEvents 1.0 attributes in NATS headers, binary mode; the body is the event's `data` as JSON. */
export const HEADERS = {
  specversion: 'ce-specversion',
  /** Also the append's attempt id: after an ambiguous time-out a writer looks for its own. */
  id: 'ce-id',
  type: 'ce-type',
  version: 'ce-dataversion',
  source: 'ce-source',
  time: 'ce-time',
  tenant: 'ce-tenant',
  actor: 'ce-actor',
  correlationId: 'ce-correlationid',
  causationId: 'ce-causationid',
  traceparent: 'traceparent',
} as const;

/** What a writer says of an event besides its body. Whoever reads must not decide on any of it but `time`. */
export interface EventMeta {
  /** `person:<principal>`, `agent:<principal>` or `service:<name>`. */
  readonly actor: string;
  /** One id for everything that follows from one request. */
  readonly correlationId: string;
  /** `<stream>:<sequence>` of the event, or the id of the command, that led to this one. */
  readonly causationId?: string;
  readonly traceparent?: string;
}

export type NewEvent<E extends AnyEvent = AnyEvent> = E & { readonly meta: EventMeta };

/** An event as the log holds it. */
export type StoredEvent<E extends AnyEvent = AnyEvent> = E & {
  readonly id: string;
  readonly version: number;
  readonly key: AggregateKey;
  readonly author: ServiceName;
  /** 1, 2, … within the aggregate, without gaps. */
  readonly rev: number;
  readonly stream: LogStream;
  /** Position in the stream; the only order there is. */
  readonly sequence: number;
  /** The writer's clock, RFC 3339, UTC. */
  readonly time: string;
  readonly meta: EventMeta;
};

export type { AnyEvent, EventType };
