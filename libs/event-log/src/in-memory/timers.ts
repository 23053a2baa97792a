import type { Timers } from '../event-log.js';

/** Timers over a clock that the test moves by hand. */
export class InMemoryTimers implements Timers {
  private readonly due = new Map<string, number>();
  private readonly listeners = new Set<(name: string) => void | Promise<void>>();
  private time: number;

  constructor(start: Date = new Date(0)) {
    this.time = start.getTime();
  }

  async set(name: string, at: Date): Promise<void> {
    this.due.set(name, at.getTime());
  }

  /** Called with each name as it fires. Returns the way out. */
  onFire(listener: (name: string) => void | Promise<void>): () => void {
    this.listeners.add(listener);
    return () => { this.listeners.delete(listener); };
  }

  /** Names that wait, earliest first. */
  pending(): string[] {
    return [...this.due].sort(([, a], [, b]) => a - b).map(([name]) => name);
  }

  now(): Date {
    return new Date(this.time);
  }

  /** Moves the clock and fires what falls due by then, in order of time; what is set meanwhile and due fires too. */
  async advanceTo(at: Date): Promise<void> {
    for (let next = this.earliest(at); next; next = this.earliest(at)) {
      const [name, due] = next;
      this.time = Math.max(this.time, due);
      this.due.delete(name);
      for (const listener of this.listeners) await listener(name);
    }
    this.time = Math.max(this.time, at.getTime());
  }

  async advanceBy(ms: number): Promise<void> {
    await this.advanceTo(new Date(this.time + ms));
  }

  private earliest(upTo: Date): [string, number] | undefined {
    return [...this.due].filter(([, due]) => due <= upTo.getTime()).sort(([, a], [, b]) => a - b)[0];
  }
}
