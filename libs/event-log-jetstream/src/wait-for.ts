import { aggregateFilter, type AggregateKey, type AnyEvent, type StoredEvent } from '@countersign/contracts';
import type { AggregateStore, Folded } from '@countersign/event-log';
import type { LiveFeed } from './live-feed.js';

export interface WaitOptions {
  readonly timeoutMs: number;
  /** The aggregate has this sequence at least. */
  readonly atLeast?: number;
  /** Ends the wait early, e.g. when the caller has gone. */
  readonly signal?: AbortSignal;
}

export interface Waited<State> {
  readonly met: boolean;
  /** When the wait was in vain: as the leader had it at the end. */
  readonly folded: Folded<State>;
}

/**
 * Waits until the aggregate's state satisfies `predicate`; holds no thread and reads once when nothing goes wrong.
 * @throws GateError UNAVAILABLE, EVENT_UNREADABLE, AGGREGATE_TRUNCATED
 */
export async function waitFor<State, Event extends AnyEvent>(
  feed: LiveFeed, store: AggregateStore<State, Event>, key: AggregateKey, predicate: (state: State) => boolean, options: WaitOptions,
): Promise<Waited<State>> {
  const news = new News(options);
  const leave = feed.listen(aggregateFilter(key), {
    event: (event) => { store.observe(event as StoredEvent<Event>); news.heard(event.sequence); },
    missed: () => news.missed(),
  });
  try {
    let folded = await store.get(key, options.atLeast);
    while (!predicate(folded.state)) {
      const what = await news.next();
      if (what === 'over') {
        folded = await store.fresh(key);
        return { met: predicate(folded.state), folded };
      }
      // What was heard is in the store's cache already, unless an event before it was not delivered.
      folded = await store.get(key, what === 'missed' ? undefined : what);
    }
    return { met: true, folded };
  } finally {
    leave();
    news.close();
  }
}

/** What happened since it was last asked for. */
class News {
  private sequence = 0;
  private loss = false;
  private over = false;
  private wake: () => void = () => undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(private readonly options: WaitOptions) {
    this.timer = setTimeout(this.end, Math.max(0, options.timeoutMs));
    options.signal?.addEventListener('abort', this.end, { once: true });
    if (options.signal?.aborted) this.over = true;
  }

  heard(sequence: number): void {
    this.sequence = Math.max(this.sequence, sequence);
    this.wake();
  }

  missed(): void {
    this.loss = true;
    this.wake();
  }

  async next(): Promise<'over' | 'missed' | number> {
    while (!this.over && !this.loss && this.sequence === 0) await new Promise<void>((resolve) => { this.wake = resolve; });
    const { loss, sequence } = this;
    this.loss = false;
    this.sequence = 0;
    if (this.over) return 'over';
    return loss ? 'missed' : sequence;
  }

  close(): void {
    clearTimeout(this.timer);
    this.options.signal?.removeEventListener('abort', this.end);
  }

  private readonly end = (): void => {
    this.over = true;
    this.wake();
  };
}
