import type { Consumer } from '@nats-io/jetstream';
import type { StoredEventRaw } from '@countersign/audit-store';
import type { ServiceConnection } from '@countersign/broker';
import type { LogStream } from '@countersign/contracts';
import { readRawFrom } from '@countersign/event-log-jetstream';
import type { EventLog } from '@countersign/event-log';
import { rawOfRead } from './raw-event.js';

const EVERYTHING = '>';
const DURABLE = 'audit';

/** One stream of the log, as the audit takes from it: everything, in order, delivered or read. */
export class LogTail {
  constructor(readonly stream: LogStream, private readonly broker: ServiceConnection, private readonly log: EventLog) {}

  /** The stream's last sequence, by its leader; 0 when it has none. @param filter of whose events; all of them without one @throws GateError UNAVAILABLE */
  last(filter = EVERYTHING): Promise<number> {
    return this.log.lastSequence(this.stream, filter);
  }

  /** Events after a sequence, up to another one or to the stream's end, not through the consumer. @throws GateError UNAVAILABLE */
  async *read(after: number, upTo: number): AsyncGenerator<StoredEventRaw, void, undefined> {
    for await (const message of readRawFrom(this.broker, this.stream, EVERYTHING, after, { upTo })) yield rawOfRead(message);
  }

  /** The durable that the set-up made. @throws when it is not there or the broker does not answer */
  consumer(): Promise<Consumer> {
    return this.broker.jetstream.consumers.get(this.stream, DURABLE);
  }
}
