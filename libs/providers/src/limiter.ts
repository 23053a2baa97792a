/** Lets at most `size` run at once; the rest wait in order, and leave the queue when their signal aborts. */
export class Limiter {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(size: number) {
    this.free = size;
  }

  /** @returns false when the signal aborted before there was room; then nothing was taken */
  async enter(signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.free > 0) {
      this.free -= 1;
      return true;
    }
    return await new Promise<boolean>((resolve) => {
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve(true);
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        resolve(false);
      };
      this.waiting.push(turn);
      signal.addEventListener('abort', leave, { once: true });
    });
  }

  leave(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}
