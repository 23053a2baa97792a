import type { StoredEvent } from '@countersign/contracts';

/** Why a live stream is over. After `missed` and `slow` its reader must catch up from its cursor. */
export type LiveEnd = 'closed' | 'missed' | 'slow';

/** Live events of one filter, for one reader, in a bounded buffer. Ends instead of growing, and never skips silently. */
export class LiveStream implements AsyncIterable<StoredEvent> {
  private readonly buffer: StoredEvent[] = [];
  private wake: () => void = () => undefined;
  private over: LiveEnd | undefined;

  constructor(private readonly maxBuffered: number, private readonly leave: () => void) {}

  /** Undefined while it goes on. */
  get ended(): LiveEnd | undefined {
    return this.over;
  }

  push(event: StoredEvent): void {
    if (this.over) return;
    if (this.buffer.length >= this.maxBuffered) {
      this.end('slow');
      return;
    }
    this.buffer.push(event);
    this.wake();
  }

  end(why: LiveEnd): void {
    if (this.over) return;
    this.over = why;
    this.leave();
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<StoredEvent, void, undefined> {
    for (;;) {
      const event = this.buffer.shift();
      if (event) yield event;
      else if (this.over) return;
      else await new Promise<void>((resolve) => { this.wake = resolve; });
    }
  }
}
