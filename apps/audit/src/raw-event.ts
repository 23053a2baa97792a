import type { JsMsg } from '@nats-io/jetstream';
import type { Msg, MsgHdrs } from '@nats-io/transport-node';
import type { StoredEventRaw } from '@countersign/audit-store';
import type { LogStream } from '@countersign/contracts';

/** A consumer's message as the log holds it. */
export const rawOfDelivery = (message: JsMsg): StoredEventRaw => ({
  stream: message.info.stream as LogStream,
  sequence: message.info.streamSequence,
  subject: message.subject,
  headers: allValues(message.headers),
  body: message.data,
});

/** A direct get's message. Stream, sequence and subject are the server's own headers: the last ones of their name. */
export const rawOfRead = (message: Msg): StoredEventRaw => ({
  stream: serverSays(message, 'Nats-Stream') as LogStream,
  sequence: Number(serverSays(message, 'Nats-Sequence')),
  subject: serverSays(message, 'Nats-Subject'),
  headers: allValues(message.headers),
  body: message.data,
});

const serverSays = (message: Msg, name: string): string => message.headers?.last(name) ?? '';

function allValues(headers: MsgHdrs | undefined): Record<string, readonly string[]> {
  return Object.fromEntries((headers?.keys() ?? []).map((name) => [name, headers!.values(name)]));
}
