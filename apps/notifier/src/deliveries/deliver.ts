import { LIMITS, parseOutboxSubject, type OutboxKey, type Webhook } from '@countersign/contracts';
import { faultPoint } from '@countersign/fault-points';
import { GateError, isGateError } from '@countersign/kernel';
import { endpointSecret, signWebhook, type GuardedFetch } from '@countersign/outbound';
import type { ServiceLogger } from '@countersign/service-host';
import { GivenUp, type Delivery, type Handled, type LogMessage } from '@countersign/transport-jetstream';
import { bodyFor } from '../formats/body.js';
import type { Notice } from '../notices/notice.js';
import { nextPauseMs } from './pauses.js';
import { Places } from './places.js';
import { WaitingRoom } from './waiting-room.js';
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
  private readonly waiting = new WaitingRoom();

  constructor(private readonly parts: DeliverParts) {}

  /** @throws GivenUp after the last try, when nobody wants it any more there (410), or when too many wait; GateError UNAVAILABLE */
  async handle(message: LogMessage, delivery: Delivery): Promise<Handled> {
    const key = parseOutboxSubject(message.subject);
    if (!key) throw new GivenUp(new GateError('INTERNAL', 'This is no delivery'));
    const { webhooks, allowLoopback } = await this.parts.webhooks.of(key.tenant);
    const webhook = webhooks.get(key.webhook);
    if (!webhook) return this.waiting.leave(key, message.sequence);
    const leave = this.places.take(key);
    if (!leave) return this.comeAgain(key, message, this.places.waitMs(key, this.waiting.forPlace(key)), 'place');
    this.waiting.called(key, message.sequence);
    try {
      return await this.attempt({ key, webhook, allowLoopback }, message, delivery);
    } finally {
      leave();
    }
  }

  private async attempt(call: Call, message: LogMessage, delivery: Delivery): Promise<Handled> {
    const failure = await this.post(call, message, delivery.signal);
    const { key } = call;
    if (failure === undefined) return this.waiting.leave(key, message.sequence);
    if (failure === GONE) throw this.givenUp(key, message, 'UNAVAILABLE', 'it answers that it is gone (410)');
    if (isRetryOfDeadLetter(delivery)) throw this.givenUp(key, message, 'UNAVAILABLE', failure);
    const pauseMs = nextPauseMs(this.ageMs(message), delivery.deliveries === 1);
    if (pauseMs === undefined) throw this.givenUp(key, message, 'UNAVAILABLE', `${failure}; it was tried for ${LIMITS.webhookRetriesMs / 3_600_000} hours`);
    this.parts.logger.info({ tenant: key.tenant, webhook: key.webhook, sequence: message.sequence, failure, pauseMs }, 'a delivery failed and is tried again');
    return this.comeAgain(key, message, pauseMs, 'try');
  }

  private comeAgain(key: OutboxKey, message: LogMessage, retryInMs: number, what: 'place' | 'try'): Handled {
    if (this.waiting.enter(key, message.sequence, retryInMs, what)) return { retryInMs };
    throw this.givenUp(key, message, 'TOO_MANY_REQUESTS', 'too many deliveries wait for it, or for its tenant');
  }

  /** Of what it tells of; NaN when it does not say. */
  private ageMs({ data }: LogMessage): number {
    const { timestamp } = JSON.parse(Buffer.from(data).toString('utf8')) as Notice;
    return this.parts.now().getTime() - Date.parse(timestamp);
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

  private givenUp(key: OutboxKey, { sequence }: LogMessage, code: 'UNAVAILABLE' | 'TOO_MANY_REQUESTS', why: string): GivenUp {
    this.waiting.leave(key, sequence);
    return new GivenUp(new GateError(code, `The webhook ${key.webhook} was not told of ${key.stream}:${key.sequence}: ${why}`));
  }
}

const GONE = 'gone';

/** A person asked for this one try, and is told how it went. */
const isRetryOfDeadLetter = ({ deliveries }: Delivery): boolean => deliveries > LIMITS.outboxMaxDeliver;
