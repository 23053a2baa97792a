import { NO_SESSION, type AnyEvent, type ApiKeyRecord, type StoredEvent } from '@countersign/contracts';
import type { EventView } from '@countersign/contracts/http';

/** An event as it stands in the log, without the hashes of API keys. Nothing else is left out, and no body is fetched. */
export function eventView(event: StoredEvent): EventView {
  const { key, meta } = event;
  return {
    id: event.id,
    type: event.type,
    version: event.version,
    stream: event.stream,
    sequence: event.sequence,
    aggregate: key.aggregate,
    aggregateId: key.id,
    ...(key.session === NO_SESSION ? {} : { sessionId: key.session }),
    rev: event.rev,
    author: event.author,
    actor: meta.actor,
    correlationId: meta.correlationId,
    ...(meta.causationId === undefined ? {} : { causationId: meta.causationId }),
    time: event.time,
    data: shownData(event),
  };
}

function shownData(event: AnyEvent): unknown {
  switch (event.type) {
    case 'tenant.Registered': return { ...event.data, keys: event.data.keys.map(withoutHash) };
    case 'tenant.KeyIssued': return { ...event.data, key: withoutHash(event.data.key) };
    default: return event.data;
  }
}

const withoutHash = ({ keyId, principal, roles, groups }: ApiKeyRecord): Omit<ApiKeyRecord, 'secretHash'> => ({ keyId, principal, roles, ...(groups ? { groups } : {}) });
