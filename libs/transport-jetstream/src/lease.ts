/** Milliseconds of a clock that is never set back or forward; counts from the start of the process. */
export const monotonicMs = (): number => performance.now();

/**
 * How long a delivery is ours. It errs to the short side: it counts from before the server can have started to count,
 * and only a confirmed extension lengthens it, from the moment it was *sent*. Over is over: it is never revived.
 */
export class Lease {
  private endsAt: number;
  private over = false;
  private controller: AbortController | undefined;
  private timer: NodeJS.Timeout | undefined;

  /** @param from monotonic; not later than the server's delivery */
  constructor(from: number, readonly durationMs: number) {
    this.endsAt = from + durationMs;
  }

  leftMs(): number {
    return this.over ? 0 : Math.max(0, this.endsAt - monotonicMs());
  }

  /** Made at its first use: most handlers are done before anybody looks. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.over) this.controller.abort(new LeaseOver());
      else this.watch();
    }
    return this.controller.signal;
  }

  /** The server has confirmed an extension that was sent then. Too late a confirmation changes nothing. */
  extendedAt(sentAt: number): void {
    if (this.leftMs() > 0) this.endsAt = Math.max(this.endsAt, sentAt + this.durationMs);
  }

  /** Gives the lease up: whoever still works under it is told to stop. */
  revoke(): void {
    this.settle();
    this.controller?.abort(new LeaseOver());
  }

  /** The delivery has come to its end; nobody is told. */
  settle(): void {
    this.over = true;
    clearTimeout(this.timer);
  }

  private watch(): void {
    this.timer = setTimeout(() => (this.leftMs() > 0 ? this.watch() : this.revoke()), Math.ceil(this.leftMs()));
  }
}

export class LeaseOver extends Error {
  constructor() {
    super('the lease of this delivery is over');
    this.name = 'LeaseOver';
  }
}
