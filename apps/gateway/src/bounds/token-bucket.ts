/** So many a second on average, and more at once after a pause. */
export class TokenBucket {
  private tokens: number;
  private filledAt: number;

  /** @param nowMs of a clock that never goes back */
  constructor(private readonly perSecond: number, private readonly burst: number, nowMs: number) {
    this.tokens = burst;
    this.filledAt = nowMs;
  }

  /** @returns 0 when one was taken, else the milliseconds until there will be one */
  take(nowMs: number): number {
    this.fill(nowMs);
    if (this.tokens < 1) return Math.ceil((1 - this.tokens) / this.perSecond * 1_000);
    this.tokens -= 1;
    return 0;
  }

  /** A full one says no more than a new one. */
  isFull(nowMs: number): boolean {
    this.fill(nowMs);
    return this.tokens >= this.burst;
  }

  private fill(nowMs: number): void {
    this.tokens = Math.min(this.burst, this.tokens + (nowMs - this.filledAt) / 1_000 * this.perSecond);
    this.filledAt = nowMs;
  }
}
