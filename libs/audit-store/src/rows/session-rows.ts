import type { ReadableEvent } from './readable.js';
import { prose, record, text, time } from './cells.js';
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
