import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';

export interface IntakeLimits {
  /** Most messages of one batch. */
  readonly batchMessages: number;
  readonly batchBytes: number;
  /** Of one pull. The client lets a pull be bounded by messages or by bytes, not by both. */
  readonly pullMessages: number;
  /** How long a batch gathers after its first message. */
  readonly gatherMs: number;
  /** How long one pull stays open; a pull that the broker lost is asked again after it. */
  readonly pullMs: number;
}

export const INTAKE_LIMITS: IntakeLimits = { batchMessages: 2_000, batchBytes: 8 * 1024 * 1024, pullMessages: 256, gatherMs: 50, pullMs: 2_000 };

/**
 * Pulls ahead of who takes: the next batch gathers in here while the one before it is written, and not more than that,
 * so memory is bounded by two batches and a pull.
 */
export class Intake {
  private queue: JsMsg[] = [];
  private bytes = 0;
  private changed: () => void = () => undefined;
  private pull: ConsumerMessages | undefined;
  private failure: unknown;
  private stopped = false;
  private readonly pulling: Promise<void>;

  constructor(private readonly consumer: Consumer, private readonly limits: IntakeLimits = INTAKE_LIMITS) {
    this.pulling = this.pullAlways();
  }

  /** At least one message, as soon as there is one and what follows it at once; none only after `stop`. @throws what the consumer failed with */
  async take(): Promise<JsMsg[]> {
    while (this.queue.length === 0 && !this.stopped && this.failure === undefined) await this.change();
    const until = performance.now() + this.limits.gatherMs;
    while (!this.full() && !this.stopped && performance.now() < until) await this.change(until - performance.now());
    if (this.queue.length === 0 && this.failure !== undefined) throw this.failure;
    const batch = this.queue;
    this.queue = [];
    this.bytes = 0;
    this.changed();
    return batch;
  }

  /** What was pulled and not taken is delivered again. Idempotent. */
  async stop(): Promise<void> {
    this.stopped = true;
    this.changed();
    await this.pull?.close();
    await this.pulling;
  }

  private full(): boolean {
    return this.queue.length >= this.limits.batchMessages || this.bytes >= this.limits.batchBytes;
  }

  private async pullAlways(): Promise<void> {
    try {
      while (!this.stopped) {
        if (this.full()) await this.change();
        else await this.pullOnce();
      }
    } catch (error) {
      this.failure = error;
      this.changed();
    }
  }

  private async pullOnce(): Promise<void> {
    const { pullMessages, pullMs } = this.limits;
    this.pull = await this.consumer.fetch({ max_messages: pullMessages, expires: pullMs });
    if (this.stopped) void this.pull.close(); // it is closed only when it has been read to its end, below
    for await (const message of this.pull) {
      this.queue.push(message);
      this.bytes += message.data.byteLength;
      if (this.queue.length === 1 || this.full()) this.changed(); // nobody waits for less, and each wake-up costs a timer
    }
  }

  /** Waits for the next change, or for a time. Two may wait at once: the taker and the puller. */
  private change(withinMs?: number): Promise<void> {
    return new Promise((resolve) => {
      const before = this.changed;
      const timer = withinMs === undefined ? undefined : setTimeout(resolve, withinMs);
      this.changed = () => {
        clearTimeout(timer);
        this.changed = () => undefined;
        before();
        resolve();
      };
    });
  }
}
