import type { ReadableEvent } from './readable.js';
import { canonical, identifier, list, oneOf, optionalCanonical, optionalProse, optionalText, prose, record, text, time } from './cells.js';
import type { Facts, RowSink } from './row-sink.js';

export function sessionOpened(event: ReadableEvent, common: Facts, sink: RowSink): void {
  const data = record(event.data, 'data');
  sink.add('sessions', common, {
    ordinal: 0,
    agent: text(data['agent'], 'agent'),
    profile: text(data['profile'], 'profile'),
    kind: text(data['kind'], 'kind'),
    opened_by: text(data['openedBy'], 'openedBy'),
    request_digest: text(data['requestDigest'], 'requestDigest'),
    opened_at: time(data['at'], 'at'),
    permission_mode: optionalText(data['permissionMode'], 'permissionMode'),
  });
}

export function sessionEnded(event: ReadableEvent, common: Facts, sink: RowSink): void {
  const data = record(event.data, 'data');
  sink.add('session_endings', common, {
    ordinal: 0,
    ended_by: text(data['by'], 'by'),
    reason: prose(data['reason'], 'reason'),
    ended_at: time(data['at'], 'at'),
  });
}

export function sessionGranted(event: ReadableEvent, common: Facts, sink: RowSink): void {
  const grant = record(record(event.data, 'data')['grant'], 'grant');
  const origin = record(grant['origin'], 'origin');
  sink.add('session_grants', common, {
    ordinal: 0,
    grant_id: identifier(grant['grantId'], 'grantId'),
    provider: identifier(grant['provider'], 'provider'),
    operation: identifier(grant['operation'], 'operation'),
    decision: oneOf(grant['decision'], 'decision', ['allow', 'deny']),
    narrow: optionalCanonical(grant['narrow'], 'narrow'),
    granted_by: identifier(grant['by'], 'by'),
    reason: optionalProse(grant['reason'], 'reason'),
    origin_plan: identifier(origin['plan'], 'origin.plan'),
    origin_item: identifier(origin['itemId'], 'origin.itemId'),
    granted_at: time(grant['at'], 'at'),
  });
}

export function sessionGrantRevoked(event: ReadableEvent, common: Facts, sink: RowSink): void {
  const data = record(event.data, 'data');
  sink.add('session_grant_revocations', common, {
    ordinal: 0,
    grant_id: identifier(data['grantId'], 'grantId'),
    revoked_by: identifier(data['by'], 'by'),
    revoked_at: time(data['at'], 'at'),
  });
}

export function sessionLimitReached(event: ReadableEvent, common: Facts, sink: RowSink): void {
  const data = record(event.data, 'data');
  sink.add('session_limits', common, {
    ordinal: 0,
    cause: text(data['cause'], 'cause'),
    detail: prose(data['detail'], 'detail'),
    items: canonical(list(data['items'], 'items'), 'items'),
    ends_at: time(data['endsAt'], 'endsAt'),
    reached_at: time(data['at'], 'at'),
  });
}
