import type { AggregateKey, AnyEvent, NewEvent, StoredEvent } from '@countersign/contracts';
import type { AppendResult, EventLog, Loaded, Position } from '@countersign/event-log';

/** Told of what this process has just appended. Must not throw; whoever appended does not wait for it. */
export type OnAppended = (key: AggregateKey, event: NewEvent, at: Position) => void;

/** The same log; planner sees its own facts pass here, since it consumes none of them. */
export class WatchedLog implements EventLog {
  private onAppended: OnAppended = () => undefined;

  constructor(private readonly log: EventLog) {}

  get author(): EventLog['author'] {
    return this.log.author;
  }

  tell(onAppended: OnAppended): void {
    this.onAppended = onAppended;
  }

  load<E extends AnyEvent>(key: AggregateKey, after?: Position): Promise<Loaded<E>> {
    return this.log.load<E>(key, after);
  }

  end(key: AggregateKey): Promise<Position> {
    return this.log.end(key);
  }

  lastSequence(stream: 'GATE' | 'CATALOG', filter: string): Promise<number> {
    return this.log.lastSequence(stream, filter);
  }

  follow(stream: 'GATE' | 'CATALOG', filter: string, afterSequence: number): AsyncIterable<StoredEvent> {
    return this.log.follow(stream, filter, afterSequence);
  }

  async append<E extends AnyEvent>(key: AggregateKey, expected: Position, event: NewEvent<E>): Promise<AppendResult> {
    const result = await this.log.append(key, expected, event);
    if (result.appended) this.onAppended(key, event as NewEvent, result.position);
    return result;
  }
}
