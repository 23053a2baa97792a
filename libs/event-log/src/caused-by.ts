import type { EventMeta, ServiceName, StoredEvent } from '@countersign/contracts';

/** What a service says of an event that it appends because of another: the same request, and which event led to it. */
export const causedBy = (event: StoredEvent, service: ServiceName): EventMeta => ({
  actor: `service:${service}`,
  correlationId: event.meta.correlationId,
  causationId: `${event.stream}:${event.sequence}`,
  ...(event.meta.traceparent === undefined ? {} : { traceparent: event.meta.traceparent }),
});
