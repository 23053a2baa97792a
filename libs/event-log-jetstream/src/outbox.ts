import { pause, unavailable, type BrokerAccess } from './broker-connection.js';
import { headersOf } from './header-block.js';
import { publish } from './publish.js';

export interface JetStreamOutboxOptions extends BrokerAccess {
  /** Wait for one answer. Default 1,500 ms. */
  readonly answerMs?: number;
  /** Wait in all until UNAVAILABLE. Default 8,000 ms. */
  readonly withinMs?: number;
}

const BETWEEN_TRIES_MS = 20;

/** What is to be delivered outside. A subject is written once for as long as the stream keeps it, so a second try makes no second delivery. */
export class JetStreamOutbox {
  constructor(private readonly options: JetStreamOutboxOptions) {}

  /** Durable when this returns, by this call or an earlier one. @throws GateError UNAVAILABLE: it may have been written */
  async put(subject: string, body: string): Promise<void> {
    const { answerMs = 1_500, withinMs = 8_000, connection } = this.options;
    const headers = headersOf({ 'Nats-Expected-Last-Subject-Sequence': '0' });
    const deadline = performance.now() + withinMs;
    for (;;) {
      const published = await publish(this.options, subject, Buffer.from(body), headers, answerMs);
      if (published.outcome === 'stored' || published.outcome === 'conflict') return;
      if (published.outcome === 'refused' && !published.passing) throw unavailable(`The outbox refuses a delivery: ${published.why}`);
      if (performance.now() >= deadline || connection.isClosed()) throw unavailable(`The outbox does not say whether it holds a delivery: ${published.why}`);
      await pause(BETWEEN_TRIES_MS);
    }
  }
}
