import { createInbox, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { apiSubject, serverHeader, unavailable, type BrokerAccess } from './broker-connection.js';

/** A direct get of several messages, as the server's API has it. */
export interface DirectRequest {
  readonly multi_last?: readonly string[];
  readonly next_by_subj?: string;
  readonly seq?: number;
  readonly batch?: number;
  readonly max_bytes?: number;
}

export interface Batch {
  readonly messages: readonly Msg[];
  /** Matching messages that the server did not send in this batch. */
  readonly pending: number;
  /** False: nothing matches at all (404). */
  readonly found: boolean;
}

/** More than the 1,024 that one direct get may return. */
export class TooManyResults extends Error {}

interface Collecting {
  readonly messages: Msg[];
  /** The description of a 404 that means that nothing matches; another means that what matches cannot be read. */
  readonly nothing: string;
  readonly done: (batch: Batch) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Answers of many messages over one subscription a connection. The end is known by its status line, never by an empty
 * body, since a stored message may be empty.
 */
class DirectReads {
  private readonly inbox: string;
  private readonly collecting = new Map<string, Collecting>();
  private requests = 0;

  constructor(private readonly connection: NatsConnection) {
    // The type of a connection does not show its options; an account may listen under its own inbox prefix only.
    const { options } = connection as NatsConnection & { options?: { inboxPrefix?: string } };
    this.inbox = createInbox(options?.inboxPrefix);
    connection.subscribe(`${this.inbox}.*`, { callback: (error, message) => { if (!error) this.take(message); } });
    void connection.closed().then(() => {
      for (const { failed } of [...this.collecting.values()]) failed(unavailable('The connection to the log is closed'));
    });
  }

  read(subject: string, request: DirectRequest, timeoutMs: number): Promise<Batch> {
    const id = String(this.requests += 1);
    return new Promise<Batch>((resolve, reject) => {
      const timer = setTimeout(() => failed(unavailable('The log did not answer a read in time')), timeoutMs);
      const end = (): void => {
        clearTimeout(timer);
        this.collecting.delete(id);
      };
      const failed = (error: unknown): void => { end(); reject(error); };
      const nothing = request.multi_last ? 'No Results' : 'Message Not Found';
      this.collecting.set(id, { messages: [], nothing, done: (batch) => { end(); resolve(batch); }, failed });
      try {
        this.connection.publish(subject, JSON.stringify(request), { reply: `${this.inbox}.${id}` });
      } catch (error) {
        failed(unavailable('The log cannot be read', error));
      }
    });
  }

  private take(message: Msg): void {
    const read = this.collecting.get(message.subject.slice(this.inbox.length + 1));
    if (!read) return;
    const status = message.headers?.code ?? 0;
    if (status === 0) read.messages.push(message);
    else if (status === 204) read.done({ messages: read.messages, pending: Number(serverHeader(message, 'Nats-Num-Pending')) || 0, found: true });
    else if (status === 404 && message.headers?.description === read.nothing) read.done({ messages: [], pending: 0, found: false });
    else if (status === 413) read.failed(new TooManyResults());
    else read.failed(unavailable(`The log cannot be read: ${message.headers?.status ?? ''}`));
  }
}

const readers = new WeakMap<NatsConnection, DirectReads>();

/** @throws GateError UNAVAILABLE; TooManyResults */
export function directRead(access: BrokerAccess, stream: string, request: DirectRequest, timeoutMs: number): Promise<Batch> {
  let reader = readers.get(access.connection);
  if (!reader) readers.set(access.connection, reader = new DirectReads(access.connection));
  return reader.read(apiSubject(access, `DIRECT.GET.${stream}`), request, timeoutMs);
}

/** Everything a `multi_last` matches from sequence `from` on, in order, however many batches it takes. */
export async function readAllLast(access: BrokerAccess, stream: string, filter: string, from: number, timeoutMs: number): Promise<Msg[]> {
  const all: Msg[] = [];
  for (let next = from; ;) {
    const batch = await directRead(access, stream, { multi_last: [filter], ...(next > 0 ? { seq: next } : {}), max_bytes: MAX_BATCH_BYTES }, timeoutMs);
    for (const message of batch.messages) {
      // A server that does not know `seq` here sends everything again.
      if (sequenceOf(message) >= next) all.push(message);
    }
    const last = all.at(-1);
    if (batch.pending === 0 || !last || batch.messages.length === 0) return all;
    next = sequenceOf(last) + 1;
  }
}

const MAX_BATCH_BYTES = 16 * 1024 * 1024;

export const sequenceOf = (message: Msg): number => Number(serverHeader(message, 'Nats-Sequence'));
