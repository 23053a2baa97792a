import type { LogStream } from '@countersign/contracts';

/**
 * A message of the log as it stands there, before anybody believed any of it. Must not be decided on: services that
 * decide read `StoredEvent`, which refuses what it does not know; the audit keeps what it does not know.
 */
export interface StoredEventRaw {
  readonly stream: LogStream;
  /** Position in the stream, from 1 and without gaps. */
  readonly sequence: number;
  readonly subject: string;
  /** All values of each header, in order; the last one counts. `Nats-*` headers are the broker's own and are ignored. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: Uint8Array;
}
