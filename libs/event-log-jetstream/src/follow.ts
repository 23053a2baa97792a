import type { LogStream, StoredEvent } from '@countersign/contracts';
import type { BrokerAccess } from './broker-connection.js';
import type { LiveFeed } from './live-feed.js';
import { readFrom } from './read-from.js';

/**
 * Every event of `filter` in one stream after a cursor, once each and in order: first what is there, then what comes.
 * A reader that is too slow for the live feed, or whose feed lost something, is caught up from the log by itself.
 * Ends when `signal` aborts or the feed stops.
 * @throws GateError EVENT_UNREADABLE, UNAVAILABLE
 */
export async function* follow(
  access: BrokerAccess, feed: LiveFeed, stream: LogStream, filter: string, afterSequence: number, signal?: AbortSignal,
): AsyncGenerator<StoredEvent, void, undefined> {
  let cursor = afterSequence;
  while (!signal?.aborted) {
    const live = feed.stream(filter);
    const end = (): void => live.end('closed');
    signal?.addEventListener('abort', end, { once: true });
    try {
      for await (const event of readFrom(access, stream, filter, cursor)) {
        cursor = event.sequence;
        yield event;
        if (signal?.aborted) return;
      }
      for await (const event of live) {
        if (event.stream !== stream || event.sequence <= cursor) continue;
        cursor = event.sequence;
        yield event;
      }
      if (live.ended === 'closed') return;
    } finally {
      signal?.removeEventListener('abort', end);
      live.end('closed');
    }
  }
}
