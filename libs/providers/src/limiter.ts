/** How a place was got; `left`: the signal aborted before there was room, and nothing was taken. */
export type Entry = 'at_once' | 'waited' | 'left';

/** Lets at most `size` run at once; the rest wait in order, and leave the queue when their signal aborts. */
export class Limiter {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(size: number) {
    this.free = size;
  }

  async enter(signal: AbortSignal): Promise<Entry> {
    if (signal.aborted) return 'left';
    if (this.free > 0) {
      this.free -= 1;
      return 'at_once';
    }
    return await new Promise<Entry>((resolve) => {
      const turn = (): void => {
        signal.removeEventListener('abort', leave);
        resolve('waited');
      };
      const leave = (): void => {
        this.waiting.splice(this.waiting.indexOf(turn), 1);
        resolve('left');
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
