import { createInbox, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import { monotonicMs } from './lease.js';
import type { TransportLogger } from './logger.js';

const EXPIRES_MS = 30_000;
const HEARTBEAT_MS = 5_000;
const REST_MS = 500;
const NANOS = 1e6;

export interface PullLoopOptions {
  readonly connection: NatsConnection;
  /** `<prefix>.CONSUMER.MSG.NEXT.<stream>.<consumer>`. */
  readonly nextSubject: string;
  /** Messages in this process at a time, running or on their way. */
  readonly capacity: number;
  readonly logger: TransportLogger;
  readonly onMessage: (msg: Msg) => void;
}

/**
 * Pulls no more than there is room for. The client's own `consume` refills by what was *received*; then messages
 * queue up in the process and their leases run out while they wait. Here a slot is free when its message is settled.
 */
export class PullLoop {
  private inbox = '';
  private subscription: Subscription | undefined;
  private asked = 0;
  private occupied = 0;
  private stopped = false;
  private heardAt = monotonicMs();
  private watchdog: NodeJS.Timeout | undefined;
  private rest: NodeJS.Timeout | undefined;

  constructor(private readonly options: PullLoopOptions) {}

  start(): void {
    this.watchdog = setInterval(() => this.checkHeartbeat(), HEARTBEAT_MS).unref();
    this.restart();
  }

  /** A slot is free again. */
  release(): void {
    this.occupied -= 1;
    this.fill();
  }

  /** A held message goes on; it may exceed the capacity for as long as it runs. */
  occupy(): void {
    this.occupied += 1;
  }

  /** What was asked for is lost (reconnect, missed heartbeats): asks anew under another inbox, so that the old requests die. */
  restart(): void {
    if (this.stopped) return;
    const old = this.subscription;
    const inbox = createInbox(inboxPrefixOf(this.options.connection));
    this.inbox = inbox;
    this.asked = 0;
    this.heardAt = monotonicMs();
    this.subscription = this.options.connection.subscribe(inbox, { callback: (error, msg) => this.received(inbox, error, msg) });
    old?.drain().catch(() => {});
    this.fill();
  }

  /** Returns when the server knows that nothing more is wanted. What arrives until then is still handed over. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearInterval(this.watchdog);
    clearTimeout(this.rest);
    await this.subscription?.drain().catch(() => {});
  }

  private received(inbox: string, error: Error | null, msg: Msg): void {
    this.heardAt = monotonicMs();
    if (error) {
      this.options.logger.error({ error: error.message, subject: this.options.nextSubject }, 'the inbox of a consumer was refused');
      return this.pause();
    }
    if (msg.subject === inbox) {
      if (inbox === this.inbox) this.status(msg);
      return;
    }
    this.occupied += 1;
    if (inbox === this.inbox && this.asked > 0) this.asked -= 1;
    this.options.onMessage(msg);
    this.fill();
  }

  /** 100: idle heartbeat. 404, 408: a request ended, with what it did not get. All else: nothing that was asked stands. */
  private status(msg: Msg): void {
    const code = msg.headers?.code ?? 0;
    if (code === 100) return;
    const left = Number(msg.headers?.last('Nats-Pending-Messages') || Number.NaN);
    if ((code === 404 || code === 408) && Number.isFinite(left)) {
      this.asked = Math.max(0, this.asked - left);
      return this.fill();
    }
    this.options.logger.warn({ code, description: msg.headers?.description, subject: this.options.nextSubject }, 'the broker ended a pull');
    this.asked = 0;
    this.pause();
  }

  private pause(): void {
    if (this.stopped || this.rest) return;
    this.rest = setTimeout(() => {
      this.rest = undefined;
      this.restart();
    }, REST_MS).unref();
  }

  private fill(): void {
    const { capacity, connection, nextSubject } = this.options;
    const free = capacity - this.occupied - this.asked;
    if (this.stopped || this.rest || connection.isClosed() || free <= 0 || (this.asked > 0 && free < capacity / 4)) return;
    this.asked += free;
    const request = { batch: free, expires: EXPIRES_MS * NANOS, idle_heartbeat: HEARTBEAT_MS * NANOS };
    connection.publish(nextSubject, JSON.stringify(request), { reply: this.inbox });
  }

  private checkHeartbeat(): void {
    if (this.asked > 0 && monotonicMs() - this.heardAt > 2.5 * HEARTBEAT_MS) this.restart();
  }
}

/** A service may receive on its own inboxes only; the client does not show the prefix it was given in its types. */
const inboxPrefixOf = (connection: NatsConnection): string | undefined => (connection as { options?: { inboxPrefix?: string } }).options?.inboxPrefix;
