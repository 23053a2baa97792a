import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { HeaderBlock } from '@countersign/event-log-jetstream';
import type { Delivery, LogMessage } from './delivery.js';
import { Lease, monotonicMs } from './lease.js';
import { parseAckSubject } from './ack-subject.js';

const ACK = new TextEncoder().encode('+ACK');
/** Share of its time a lease has left while there is nothing to gain by asking for more. */
const FRESH = 0.9;
const IN_PROGRESS = new TextEncoder().encode('+WPI');

/** A delivered message and its one settlement: whatever comes second (a handler that ends after the drain) is ignored. */
export class RunningDelivery implements Delivery {
  readonly stream: string;
  readonly sequence: number;
  readonly deliveries: number;
  /** How often its handler has been run again under this one delivery. */
  repeats = 0;
  private settled = false;
  private extendedOrAsked = monotonicMs();

  constructor(private readonly connection: NatsConnection, private readonly msg: Msg, readonly lease: Lease) {
    const info = parseAckSubject(msg.reply ?? '');
    this.stream = info.stream;
    this.sequence = info.sequence;
    this.deliveries = info.deliveries;
  }

  get message(): LogMessage {
    const { subject, data } = this.msg;
    const headers = HeaderBlock.of(this.msg);
    return { stream: this.stream, sequence: this.sequence, subject, data, ...(headers === undefined ? {} : { headers }) };
  }

  get signal(): AbortSignal {
    return this.lease.signal;
  }

  leaseLeftMs(): number {
    return this.lease.leftMs();
  }

  working(): void {
    if (this.lease.leftMs() < this.lease.durationMs * FRESH) void this.extend();
  }

  /** Extends the lease when a third of it has passed since the last time. */
  extendWhenDue(): void {
    if (monotonicMs() - this.extendedOrAsked >= this.lease.durationMs / 3) void this.extend();
  }

  ack(): void {
    this.settle(ACK);
  }

  /** The server stops delivering it and tells the reason in an advisory. */
  term(reason: string): void {
    this.settle(new TextEncoder().encode(`+TERM ${reason}`));
  }

  /**
   * Deliver again, not before `delayMs`. Once the lease is over nothing is sent: the server delivers it again by itself,
   * and this could take it from the process that has it now.
   */
  nak(delayMs: number): void {
    if (this.lease.leftMs() === 0) this.settle();
    else this.settle(new TextEncoder().encode(delayMs > 0 ? `-NAK {"delay":${Math.round(delayMs * 1e6)}}` : '-NAK'));
  }

  /** Gives it up in the middle: its handler is told to stop, another process gets it. */
  abandon(): void {
    const left = this.lease.leftMs();
    this.lease.revoke();
    this.settle(left > 0 ? new TextEncoder().encode('-NAK') : undefined);
  }

  /** Says nothing to the server: it delivers it again when the lease is over. */
  forget(): void {
    this.settle();
  }

  private settle(answer?: Uint8Array): void {
    if (this.settled) return;
    this.settled = true;
    this.lease.settle();
    if (answer === undefined || this.connection.isClosed()) return;
    try {
      this.msg.respond(answer);
    } catch {
      // the connection is being closed: the server delivers it again
    }
  }

  private async extend(): Promise<void> {
    if (this.settled || this.connection.isClosed()) return;
    const sentAt = monotonicMs();
    this.extendedOrAsked = sentAt;
    try {
      await this.connection.request(this.msg.reply!, IN_PROGRESS, { timeout: this.lease.durationMs / 3 });
      this.lease.extendedAt(sentAt);
    } catch {
      // not confirmed: the lease ends when it ends, unless the next one gets through
    }
  }
}
