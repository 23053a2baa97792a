import {
  ClosedConnectionError, NoRespondersError, PermissionViolationError, TimeoutError, createInbox, type Msg, type MsgHdrs, type NatsConnection,
} from '@nats-io/transport-node';

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly headers?: MsgHdrs;
}

interface Waiting {
  readonly subject: string;
  readonly answered: (message: Msg) => void;
  readonly failed: (error: Error) => void;
}

const NO_RESPONDERS = 503;

/**
 * Requests with one answer each, over one inbox a connection. The client's own `request` builds an error with its stack, a
 * race and three promises for every one that succeeds, a tenth of what a plan costs.
 */
class Requests {
  private readonly inbox: string;
  private readonly waiting = new Map<string, Waiting>();
  private count = 0;

  constructor(private readonly connection: NatsConnection) {
    // The type of a connection does not show its options; an account may listen under its own inbox prefix only.
    const { options } = connection as NatsConnection & { options?: { inboxPrefix?: string } };
    this.inbox = createInbox(options?.inboxPrefix);
    connection.subscribe(`${this.inbox}.*`, { callback: (error, message) => { if (!error) this.take(message); } });
    void connection.closed().then(() => this.failAll(() => true, () => new ClosedConnectionError()));
    void this.followRefusals();
  }

  send(subject: string, body: string | Uint8Array, { timeoutMs, headers }: RequestOptions): Promise<Msg> {
    const id = String(this.count += 1);
    return new Promise<Msg>((resolve, reject) => {
      const timer = setTimeout(() => failed(new TimeoutError()), timeoutMs);
      const end = (): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
      };
      const failed = (error: Error): void => { end(); reject(error); };
      this.waiting.set(id, { subject, answered: (message) => { end(); resolve(message); }, failed });
      try {
        this.connection.publish(subject, body, { reply: `${this.inbox}.${id}`, ...(headers ? { headers } : {}) });
      } catch (error) {
        failed(error as Error);
      }
    });
  }

  private take(message: Msg): void {
    const waiting = this.waiting.get(message.subject.slice(this.inbox.length + 1));
    if (!waiting) return;
    if (message.data.length === 0 && message.headers?.code === NO_RESPONDERS) waiting.failed(new NoRespondersError(waiting.subject));
    else waiting.answered(message);
  }

  /** A publish that the server refuses is said by the connection's status only. */
  private async followRefusals(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type !== 'error' || !(status.error instanceof PermissionViolationError)) continue;
      const refusal = status.error;
      if (refusal.operation === 'publish') this.failAll(({ subject }) => subject === refusal.subject, () => refusal);
    }
  }

  private failAll(which: (waiting: Waiting) => boolean, error: () => Error): void {
    for (const waiting of [...this.waiting.values()]) if (which(waiting)) waiting.failed(error());
  }
}

const requests = new WeakMap<NatsConnection, Requests>();

/**
 * Sends one request and waits for its one answer.
 * @throws the client's TimeoutError, NoRespondersError, PermissionViolationError, ClosedConnectionError
 */
export function request(connection: NatsConnection, subject: string, body: string | Uint8Array, options: RequestOptions): Promise<Msg> {
  let known = requests.get(connection);
  if (!known) requests.set(connection, known = new Requests(connection));
  return known.send(subject, body, options);
}
