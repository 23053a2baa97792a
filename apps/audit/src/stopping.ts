/** Told once, heard by all who wait. */
export class Stopping {
  private readonly controller = new AbortController();

  get is(): boolean {
    return this.controller.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  now(): void {
    this.controller.abort();
  }

  /** Returns how to stop listening. */
  then(listener: () => void): () => void {
    const { signal } = this.controller;
    if (signal.aborted) listener();
    else signal.addEventListener('abort', listener, { once: true });
    return () => signal.removeEventListener('abort', listener);
  }

  /** Ends at once when it is told. */
  pause(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(end, milliseconds);
      const forget = this.then(end);
      function end(): void {
        clearTimeout(timer);
        queueMicrotask(() => forget());
        resolve();
      }
    });
  }
}
