import type { Consumer, ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { Intake } from './intake.js';

const LIMITS = { batchMessages: 3, batchBytes: 1_000, pullMessages: 3, gatherMs: 10_000, pullMs: 1_000 };
const message = (bytes = 1): JsMsg => ({ data: new Uint8Array(bytes) }) as JsMsg;

interface Deferred<T> { readonly promise: Promise<T>; readonly resolve: (value: T) => void }

function withResolvers<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => { resolve = done; });
  return { promise, resolve };
}

/** One pull, as the client has it: `close` ends it for who reads it, and resolves when it has been read to its end. */
class Pull {
  private readonly queue: (JsMsg | 'end')[] = [];
  private wake: () => void = () => undefined;
  private readonly read = withResolvers<void>();

  push(...messages: (JsMsg | 'end')[]): void {
    this.queue.push(...messages);
    this.wake();
  }

  close(): Promise<void> {
    this.push('end');
    return this.read.promise;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<JsMsg> {
    for (;;) {
      const next = this.queue.shift();
      if (next === 'end') return this.read.resolve();
      if (next) yield next;
      else await new Promise<void>((resolve) => { this.wake = resolve; });
    }
  }
}

function pulling(): { readonly pull: Pull; answer(): void; readonly consumer: Consumer } {
  const pull = new Pull();
  const fetched = withResolvers<ConsumerMessages>();
  return { pull, answer: () => fetched.resolve(pull as unknown as ConsumerMessages), consumer: { fetch: () => fetched.promise } as unknown as Consumer };
}

describe('what the audit takes from its consumer', () => {
  it('comes as one batch, without waiting for more than it may hold', async () => {
    const { pull, answer, consumer } = pulling();
    const intake = new Intake(consumer, LIMITS);
    answer();
    pull.push(message(), message(), message());
    expect(await intake.take()).toHaveLength(3);
    await intake.stop();
  });

  it('is handed over when its bytes are enough, however few they are', async () => {
    const { pull, answer, consumer } = pulling();
    const intake = new Intake(consumer, LIMITS);
    answer();
    pull.push(message(600), message(600));
    expect(await intake.take()).toHaveLength(2);
    await intake.stop();
  });

  it('gathers no longer than it may', async () => {
    const { pull, answer, consumer } = pulling();
    const intake = new Intake(consumer, { ...LIMITS, gatherMs: 5 });
    answer();
    pull.push(message());
    expect(await intake.take()).toHaveLength(1);
    await intake.stop();
  });

  it('ends also when the broker’s answer to a pull comes after the stop', async () => {
    const { answer, consumer } = pulling();
    const intake = new Intake(consumer, LIMITS);
    const stopped = intake.stop();
    answer();
    await stopped;
    expect(await intake.take()).toEqual([]);
  });
});
