/** One holder per key at a time, first come first served. */
export class KeyedLock {
  private readonly queues = new Map<string, Array<() => void>>();

  /** The way to let go, or undefined when it was not free within `timeoutMs` (default: waits for ever). */
  async acquire(key: string, timeoutMs = Infinity): Promise<(() => void) | undefined> {
    const queue = this.queues.get(key);
    if (!queue) {
      this.queues.set(key, []);
      return this.releaseOf(key);
    }
    const mine = await this.turnIn(queue, timeoutMs);
    return mine ? this.releaseOf(key) : undefined;
  }

  private turnIn(queue: Array<() => void>, timeoutMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = Number.isFinite(timeoutMs) ? setTimeout(giveUp, timeoutMs) : undefined;
      const turn = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      function giveUp(): void {
        queue.splice(queue.indexOf(turn), 1);
        resolve(false);
      }
      queue.push(turn);
    });
  }

  private releaseOf(key: string): () => void {
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      const next = this.queues.get(key)?.shift();
      if (next) next(); else this.queues.delete(key);
    };
  }
}
