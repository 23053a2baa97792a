import type { Msg } from '@nats-io/transport-node';
import type { LogStream, StoredEvent } from '@countersign/contracts';
import { pause, unavailable, type BrokerAccess } from './broker-connection.js';
import { decodeStored } from './decode-stored.js';
import { directRead, sequenceOf } from './direct-reads.js';
import { leaderLast } from './leader-reads.js';

export interface ReadFromOptions {
  /** Wait for one answer. Default 5,000 ms. */
  readonly answerMs?: number;
  /** Stop after this sequence, if the stream reaches further. */
  readonly upTo?: number;
}

const BATCH = 256;
/** Waits for a replica that is behind the leader, in milliseconds. */
const LAG_WAITS_MS = [5, 10, 20, 50, 100, 200, 400] as const;

/**
 * Every event of a stream whose subject is in `filter`, after a sequence, in order, up to the leader's last one at the
 * time of the call. For catching up by a cursor; what comes later is the live feed's.
 * @throws GateError EVENT_UNREADABLE, UNAVAILABLE
 */
export async function* readFrom(
  access: BrokerAccess, stream: LogStream, filter: string, afterSequence: number, options: ReadFromOptions = {},
): AsyncGenerator<StoredEvent, void, undefined> {
  for await (const message of readRawFrom(access, stream, filter, afterSequence, options)) yield decodeStored(message);
}

/** The same, not decoded: for whoever goes on past an event it cannot read. */
export async function* readRawFrom(
  access: BrokerAccess, stream: LogStream, filter: string, afterSequence: number, { answerMs = 5_000, upTo = Infinity }: ReadFromOptions = {},
): AsyncGenerator<Msg, void, undefined> {
  const last = Math.min(upTo, (await leaderLast(access, stream, filter, { answerMs, withinMs: answerMs }))?.seq ?? 0);
  let next = afterSequence + 1;
  // The server searches to the end of the stream for what is asked beyond what exists, so the first ask is for one.
  let batch = 1;
  let empty = 0;
  while (next <= last) {
    const read = await directRead(access, stream, { seq: next, next_by_subj: filter, batch }, answerMs);
    for (const message of read.messages) {
      next = sequenceOf(message) + 1;
      if (next - 1 > last) return;
      yield message;
    }
    empty = read.messages.length === 0 ? empty + 1 : 0;
    batch = Math.max(1, Math.min(BATCH, read.pending));
    if (empty > 0) await forReplica(empty, stream);
  }
}

async function forReplica(tries: number, stream: LogStream): Promise<void> {
  const waitMs = LAG_WAITS_MS[tries - 1];
  if (waitMs === undefined) throw unavailable(`A replica of ${stream} stays behind its leader`);
  await pause(waitMs);
}
