import type { StoredEvent } from '@countersign/contracts';
import { decodeEvent, type RawEvent } from '@countersign/event-log';
import { HeaderBlock, type HeaderValues } from './header-block.js';

/** What a message of a stream is read by: a consumer's (`JsMsg`), a direct get's, and the live feed's all fit. */
export interface StoredMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: HeaderValues;
  /** Only a consumer's message has it. */
  readonly info?: { readonly stream: string; readonly streamSequence: number };
}

/**
 * An event out of any message that carries it: a consumer's, a direct get's or the live feed's.
 * @throws GateError EVENT_UNREADABLE with stream and sequence
 */
export const decodeStored = (message: StoredMessage): StoredEvent => decodeEvent(rawEventOf(message));

/** Stream, sequence and subject as the server says them; everything else as its writer did. Never throws. */
export function rawEventOf(message: StoredMessage): RawEvent {
  const values = HeaderBlock.of(message);
  const header = (name: string): string => values?.last(name) ?? '';
  const { info } = message;
  return info
    ? { subject: message.subject, stream: info.stream, sequence: info.streamSequence, header, body: message.data }
    : { subject: header('Nats-Subject'), stream: header('Nats-Stream'), sequence: Number(header('Nats-Sequence')), header, body: message.data };
}

