import { LIMITS, parseOutboxSubject, type OutboxKey, type Webhook } from '@countersign/contracts';
import { faultPoint } from '@countersign/fault-points';
import { GateError, isGateError } from '@countersign/kernel';
import { endpointSecret, signWebhook, type GuardedFetch } from '@countersign/outbound';
import type { ServiceLogger } from '@countersign/service-host';
import { GivenUp, type Delivery, type Handled, type LogMessage } from '@countersign/transport-jetstream';
import { bodyFor } from '../formats/body.js';
import { Places } from './places.js';
import { Tries } from './tries.js';
import type { Webhooks } from '../webhooks.js';

export interface DeliverParts {
  readonly webhooks: Pick<Webhooks, 'of'>;
  readonly fetch: GuardedFetch;
  /** `ServiceConfig.outboundKey`. */
  readonly outboundKey: string;
  readonly logger: ServiceLogger;
  readonly now: () => Date;
}

interface Call {
  readonly key: OutboxKey;
  readonly webhook: Webhook;
  readonly allowLoopback: boolean;
}

/** Posts one message of the outbox to its webhook. At least once: a receiver knows a repetition by its `webhook-id`. */
export class Deliver {
  private readonly places = new Places();
  private readonly tries = new Tries();

  constructor(private readonly parts: DeliverParts) {}

  /** @throws GivenUp after the last try, when nobody wants it any more there (410), or when too many wait; GateError UNAVAILABLE */
  async handle(message: LogMessage, delivery: Delivery): Promise<Handled> {
    const key = parseOutboxSubject(message.subject);
    if (!key) throw new GivenUp(new GateError('INTERNAL', 'This is no delivery'));
    const { webhooks, allowLoopback } = await this.parts.webhooks.of(key.tenant);
    const webhook = webhooks.get(key.webhook);
    if (!webhook) return this.forget(key, message.sequence);
    const place = this.places.take(key, message.sequence);
    if (place.kind === 'wait') return { retryInMs: place.ms };
    if (place.kind === 'full') throw this.givenUp(key, message.sequence, 'TOO_MANY_REQUESTS', `more than ${LIMITS.webhookWaiting} deliveries wait for it`);
    try {
      return await this.attempt({ key, webhook, allowLoopback }, message, delivery);
    } finally {
      place.leave();
    }
  }

  private async attempt(call: Call, message: LogMessage, delivery: Delivery): Promise<Handled> {
    const failure = await this.post(call, message, delivery.signal);
    const { key } = call;
    if (failure === undefined) return this.forget(key, message.sequence);
    if (failure === GONE) throw this.givenUp(key, message.sequence, 'UNAVAILABLE', 'it answers that it is gone (410)');
    if (isRetryOfDeadLetter(delivery)) throw this.givenUp(key, message.sequence, 'UNAVAILABLE', failure);
    const pauseMs = this.tries.failed(message.sequence);
    if (pauseMs === undefined) throw this.givenUp(key, message.sequence, 'UNAVAILABLE', `${failure}; it was tried ${LIMITS.webhookTries} times`);
    this.parts.logger.info({ tenant: key.tenant, webhook: key.webhook, sequence: message.sequence, failure, pauseMs }, 'a delivery failed and is tried again');
    return { retryInMs: pauseMs };
  }

  /** @returns why it has not arrived; undefined: it has */
  private async post({ key, webhook, allowLoopback }: Call, { data }: LogMessage, signal: AbortSignal): Promise<string | undefined> {
    const { outboundKey, fetch, now } = this.parts;
    const body = bodyFor(webhook, Buffer.from(data).toString('utf8'));
    const secret = endpointSecret(outboundKey, { tenant: key.tenant, kind: 'webhook', name: webhook.name, version: webhook.secretVersion });
    const signed = signWebhook(secret, { id: `msg_${key.stream}_${key.sequence}`, timestamp: Math.floor(now().getTime() / 1_000), body });
    await faultPoint('notifier.before-delivery');
    try {
      const { status } = await fetch({
        url: webhook.url, method: 'POST', headers: { 'content-type': 'application/json', 'user-agent': 'Countersign', ...signed }, body,
        deadlineMs: LIMITS.webhookTimeoutMs, maxBytes: 0, allowLoopback, signal,
      });
      await faultPoint('notifier.after-delivery');
      if (status < 300) return undefined;
      return status === 410 ? GONE : `it answers with status ${status}`;
    } catch (error) {
      if (!isGateError(error)) throw error;
      return `${error.code}: ${error.message}`;
    }
  }

  private forget(key: OutboxKey, id: number): void {
    this.places.forget(key, id);
    this.tries.forget(id);
  }

  private givenUp(key: OutboxKey, id: number, code: 'UNAVAILABLE' | 'TOO_MANY_REQUESTS', why: string): GivenUp {
    this.forget(key, id);
    return new GivenUp(new GateError(code, `The webhook ${key.webhook} was not told of ${key.stream}:${key.sequence}: ${why}`));
  }
}

const GONE = 'gone';

/** A person asked for this one try, and is told how it went. */
const isRetryOfDeadLetter = ({ deliveries }: Delivery): boolean => deliveries > LIMITS.outboxMaxDeliver;
