import { createHmac, timingSafeEqual } from 'node:crypto';

/** What is signed (Standard Webhooks, https://www.standardwebhooks.com). */
export interface WebhookMessage {
  /** The same for every try of one message; a receiver takes it once. */
  readonly id: string;
  /** Of this try. Whole seconds since 1970. */
  readonly timestamp: number;
  /** Exactly as it is sent. */
  readonly body: string;
}

export interface WebhookHeaders {
  readonly 'webhook-id': string;
  readonly 'webhook-timestamp': string;
  readonly 'webhook-signature': string;
}

const PREFIX = 'whsec_';
const TOLERANCE_S = 5 * 60;

/** @param secret `whsec_…` as `endpointSecret` makes it */
export function signWebhook(secret: string, message: WebhookMessage): WebhookHeaders {
  return { 'webhook-id': message.id, 'webhook-timestamp': String(message.timestamp), 'webhook-signature': `v1,${signatureOf(secret, message).toString('base64')}` };
}

/**
 * Whether a request was signed with the secret, lately. What a receiver does; in constant time.
 * @param headers lower-case names
 * @param now seconds since 1970
 */
export function verifyWebhook(secret: string, headers: Readonly<Record<string, string | readonly string[] | undefined>>, body: string, now: number): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': said, 'webhook-signature': signatures } = headers;
  if (typeof id !== 'string' || typeof said !== 'string' || typeof signatures !== 'string' || !/^\d{1,12}$/.test(said)) return false;
  const timestamp = Number(said);
  if (Math.abs(now - timestamp) > TOLERANCE_S) return false;
  const expected = signatureOf(secret, { id, timestamp, body });
  return signatures.split(' ').some((one) => one.startsWith('v1,') && same(expected, Buffer.from(one.slice(3), 'base64')));
}

const same = (expected: Buffer, found: Buffer): boolean => found.length === expected.length && timingSafeEqual(expected, found);

function signatureOf(secret: string, { id, timestamp, body }: WebhookMessage): Buffer {
  if (!secret.startsWith(PREFIX)) throw new Error(`A webhook’s secret begins with ${PREFIX}`);
  if (id === '' || id.includes('.')) throw new Error('A webhook’s id has no dot: it could stand for another id and time');
  return createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64')).update(`${id}.${timestamp}.${body}`).digest();
}
