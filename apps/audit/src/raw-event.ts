import type { JsMsg } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import type { StoredEventRaw } from '@countersign/audit-store';
import type { LogStream } from '@countersign/contracts';
import { HeaderBlock } from '@countersign/event-log-jetstream';

/** A consumer's message as the log holds it. */
export const rawOfDelivery = (message: JsMsg): StoredEventRaw => ({
  stream: message.info.stream as LogStream,
  sequence: message.info.streamSequence,
  subject: message.subject,
  headers: HeaderBlock.allOf(message),
  body: message.data,
});

/** A direct get's message. Stream, sequence and subject are the server's own headers: the last ones of their name. */
export function rawOfRead(message: Msg): StoredEventRaw {
  const headers = HeaderBlock.allOf(message);
  const serverSays = (name: string): string => headers[name]?.at(-1) ?? '';
  return {
    stream: serverSays('Nats-Stream') as LogStream,
    sequence: Number(serverSays('Nats-Sequence')),
    subject: serverSays('Nats-Subject'),
    headers,
    body: message.data,
  };
}
