import { randomUUID } from 'node:crypto';
import type { MsgHdrs } from '@nats-io/transport-node';
import {
  HEADERS, aggregateFilter, keyText, parseEventSubject, streamOf,
  type AggregateKey, type AnyEvent, type LogStream, type NewEvent, type ServiceName, type StoredEvent,
} from '@countersign/contracts';
import { NOWHERE, checkKey, gapless, prepareAppend, type AppendResult, type EncodedEvent, type EventLog, type Loaded, type Position } from '@countersign/event-log';
import { GateError, isGateError } from '@countersign/kernel';
import { pause, unavailable, type BrokerAccess } from './broker-connection.js';
import { decodeStored } from './decode-stored.js';
import { TooManyResults, readAllLast } from './direct-reads.js';
import { headersOf } from './header-block.js';
import { leaderLast, type LeaderMessage, type Timeouts } from './leader-reads.js';
import { publish, type Published } from './publish.js';
import { readFrom } from './read-from.js';
import { SharedReads } from './shared-reads.js';

export interface JetStreamEventLogOptions extends BrokerAccess {
  readonly author: ServiceName;
  readonly now?: () => Date;
  /** Wait for one acknowledgement or one answer. Default 1,500 ms. */
  readonly answerMs?: number;
  /** Wait in all, over a broker that comes back, until UNAVAILABLE. Default 8,000 ms. */
  readonly withinMs?: number;
}

const EXPECTED_SEQUENCE = 'Nats-Expected-Last-Subject-Sequence';
const EXPECTED_FILTER = 'Nats-Expected-Last-Subject-Sequence-Subject';
const BETWEEN_TRIES_MS = 20;

/** One append on its way: the same bytes at every try, so that at most one of them can be stored. */
interface Attempt {
  readonly stream: LogStream;
  readonly filter: string;
  readonly id: string;
  readonly encoded: EncodedEvent;
  readonly headers: MsgHdrs;
  readonly expected: Position;
}

/** The log in JetStream, as one service sees it. Needs streams with `allow_direct` and no message ids, TTLs or rollups. */
export class JetStreamEventLog implements EventLog {
  readonly author: ServiceName;
  private readonly timeouts: Timeouts;
  private readonly now: () => Date;
  private readonly shared = new SharedReads<LeaderMessage | undefined>();

  constructor(private readonly options: JetStreamEventLogOptions) {
    this.author = options.author;
    this.timeouts = { answerMs: options.answerMs ?? 1_500, withinMs: options.withinMs ?? 8_000 };
    this.now = options.now ?? (() => new Date());
  }

  async load<E extends AnyEvent>(key: AggregateKey, after: Position = NOWHERE): Promise<Loaded<E>> {
    checkKey(key);
    const givesUp = this.givesUp();
    for (;;) {
      try {
        const messages = await readAllLast(this.options, streamOf(key), aggregateFilter(key), after.sequence === 0 ? 0 : after.sequence + 1, this.timeouts.answerMs);
        return gapless<E>(key, after, messages.map(decodeStored));
      } catch (error) {
        if (error instanceof TooManyResults) throw new GateError('AGGREGATE_TOO_LONG', `${keyText(key)} holds more events than one read returns`);
        if (!isGateError(error, 'UNAVAILABLE') || givesUp()) throw error;
        await pause(BETWEEN_TRIES_MS);
      }
    }
  }

  async end(key: AggregateKey): Promise<Position> {
    checkKey(key);
    const last = await this.lastByLeader(streamOf(key), aggregateFilter(key));
    if (!last) return NOWHERE;
    const rev = parseEventSubject(last.subject)?.rev;
    if (rev === undefined) throw new GateError('EVENT_UNREADABLE', `${streamOf(key)}:${last.seq} has no event’s subject`, { stream: streamOf(key), sequence: last.seq });
    return { rev, sequence: last.seq };
  }

  async lastSequence(stream: LogStream, filter: string): Promise<number> {
    return (await this.lastByLeader(stream, filter))?.seq ?? 0;
  }

  follow(stream: LogStream, filter: string, afterSequence: number): AsyncGenerator<StoredEvent, void, undefined> {
    return readFrom(this.options, stream, filter, afterSequence, { answerMs: this.timeouts.answerMs });
  }

  private lastByLeader(stream: LogStream, filter: string): Promise<LeaderMessage | undefined> {
    return this.shared.read(`${stream} ${filter}`, () => leaderLast(this.options, stream, filter, this.timeouts));
  }

  async append<E extends AnyEvent>(key: AggregateKey, expected: Position, event: NewEvent<E>): Promise<AppendResult> {
    const id = randomUUID();
    const encoded = prepareAppend(this.author, key, expected, event, { id, time: this.now().toISOString() });
    const filter = aggregateFilter(key);
    const headers = headersOf({ ...encoded.headers, [EXPECTED_SEQUENCE]: String(expected.sequence), [EXPECTED_FILTER]: filter });
    return this.untilKnown({ stream: streamOf(key), filter, id, encoded, headers, expected });
  }

  /** Sends until the outcome is known. A try without answer is sent again: if it was stored, the next one is a conflict with itself. */
  private async untilKnown(attempt: Attempt): Promise<AppendResult> {
    const givesUp = this.givesUp();
    let unanswered = false;
    for (;;) {
      const published = await publish(this.options, attempt.encoded.subject, attempt.encoded.body, attempt.headers, this.timeouts.answerMs);
      if (published.outcome === 'stored') return this.stored(attempt, published);
      if (published.outcome === 'conflict') {
        const settled = unanswered ? await this.whoWon(attempt) : CONFLICT;
        if (settled) return settled;
      }
      if (published.outcome === 'unknown') unanswered = true;
      if (published.outcome === 'refused' && !published.passing && !unanswered) throw unavailable(`${attempt.stream} refuses the event: ${published.why}`);
      if (givesUp()) throw unavailable(`${attempt.stream} does not say whether the event is stored`);
      await pause(BETWEEN_TRIES_MS);
    }
  }

  private givesUp(): () => boolean {
    const deadline = performance.now() + this.timeouts.withinMs;
    return () => performance.now() >= deadline || this.options.connection.isClosed();
  }

  private stored(attempt: Attempt, ack: Extract<Published, { outcome: 'stored' }>): AppendResult {
    // No message of ours has an id, so a duplicate means that somebody else's header or stream stands in between.
    if (ack.duplicate || ack.stream !== attempt.stream) {
      throw new GateError('INTERNAL', `An append to ${attempt.stream} was acknowledged as ${ack.duplicate ? 'a duplicate' : `stored in ${ack.stream}`}`);
    }
    return { appended: true, position: { rev: attempt.expected.rev + 1, sequence: ack.sequence } };
  }

  /** After a conflict that may be with an earlier try of this same append. Undefined: nothing is stored yet, somebody's message is on its way. */
  private async whoWon(attempt: Attempt): Promise<AppendResult | undefined> {
    const last = await leaderLast(this.options, attempt.stream, attempt.filter, this.timeouts);
    if ((last?.seq ?? 0) <= attempt.expected.sequence) return undefined;
    // The place after `expected` is taken, so ours is there by now or never will be.
    const mine = await leaderLast(this.options, attempt.stream, attempt.encoded.subject, this.timeouts);
    if (!mine?.headerText.includes(`\r\n${HEADERS.id}: ${attempt.id}\r\n`)) return CONFLICT;
    return { appended: true, position: { rev: attempt.expected.rev + 1, sequence: mine.seq } };
  }
}

const CONFLICT: AppendResult = { appended: false, conflict: true };
