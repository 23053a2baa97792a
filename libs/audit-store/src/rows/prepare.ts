import { setImmediate as otherWork } from 'node:timers/promises';
import type { LogStream } from '@countersign/contracts';
import type { StoredEventRaw } from '../raw-event.js';
import { RowSink } from './row-sink.js';
import { addRowsOf } from './rows-of.js';

export interface Quarantined { readonly stream: LogStream; readonly sequence: number; readonly reason: string; readonly detail: string }

/** Rows that are ready for COPY. */
export interface Prepared {
  readonly rows: RowSink;
  /** Months that the rows stand in, as YYYY-MM. */
  readonly months: ReadonlySet<string>;
  readonly quarantined: readonly Quarantined[];
}

/** About a millisecond of work: the process may serve plans besides. */
const EVENTS_AT_A_TIME = 25;

/** The rows of messages, letting other work of the process in between. */
export async function prepareRows(messages: readonly StoredEventRaw[]): Promise<Prepared> {
  const rows = new RowSink();
  const months = new Set<string>();
  const quarantined: Quarantined[] = [];
  for (const [at, message] of messages.entries()) {
    if (at > 0 && at % EVENTS_AT_A_TIME === 0) await otherWork();
    const { time, quarantined: why } = addRowsOf(message, rows);
    months.add(time.slice(0, 7));
    if (why) quarantined.push({ stream: message.stream, sequence: message.sequence, reason: why.reason, detail: why.detail });
  }
  return { rows, months, quarantined };
}
