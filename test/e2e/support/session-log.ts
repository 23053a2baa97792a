import type { EventView } from '@countersign/contracts/http';
import type { CountersignClient } from '@countersign/sdk';

/** What a session's event stream has brought so far, so that a test can act at the moment an event is durable. */
export class SessionLog {
  readonly events: EventView[] = [];
  private readonly left = new AbortController();
  private readonly waiting = new Set<() => void>();

  constructor(client: CountersignClient, session: string) {
    void this.read(client, session);
  }

  /** Resolves with the first event of that type. @throws Error with what came instead, when it does not come in time */
  first(type: string, withinMs = 60_000): Promise<EventView> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(late);
        this.waiting.delete(look);
      };
      const late = setTimeout(() => {
        end();
        reject(new Error(`no ${type} within ${withinMs} ms; there is ${this.events.map((event) => event.type).join(', ')}`));
      }, withinMs);
      const look = (): void => {
        const found = this.events.find((event) => event.type === type);
        if (!found) return;
        end();
        resolve(found);
      };
      this.waiting.add(look);
      look();
    });
  }

  close(): void {
    this.left.abort();
  }

  /** From the session's start; goes on from the last id over the death of the gateway, as any reader does. */
  private async read(client: CountersignClient, session: string): Promise<void> {
    for (let cursor = 'start'; !this.left.signal.aborted;) {
      try {
        for await (const event of client.events({ session, cursor, signal: this.left.signal })) {
          if (event.id) cursor = event.id;
          if (isPlanEvent(event.data)) this.events.push(event.data);
          for (const look of [...this.waiting]) look();
        }
      } catch {
        // The gateway is away, or this reader has left.
      }
      if (!this.left.signal.aborted) await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** By its own type: the stream names some of them otherwise, e.g. `permission_request`. */
const isPlanEvent = (data: unknown): data is EventView => typeof data === 'object' && data !== null && 'type' in data && String(data.type).startsWith('plan.');
