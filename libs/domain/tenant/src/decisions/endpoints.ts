import {
  LIMITS, WEBHOOK_EVENTS, WEBHOOK_FORMATS, type PrincipalId, type RegisterSubscriber, type RegisterWebhook, type SubscriberRemoved, type TenantEvent, type VetoSubscriber,
  type Webhook, type WebhookRemoved,
} from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { lastSecretVersion, mayStartProcesses, type TenantState } from '../state.js';
import { requireRegistered, type Repeatable } from './keys.js';

const NAME = /^[a-z0-9][a-z0-9-]{0,39}$/;
const URL_CHARS = 2_048;
const DEADLINE_MIN_MS = 50;

/** The endpoint's secret version stands in `version`. */
export interface Registered extends Repeatable { readonly version: number }
type By = { readonly by: PrincipalId };

/** The same name again replaces it and gets another secret. @throws GateError NOT_FOUND, INVALID_REQUEST, URL_NOT_ALLOWED, AGGREGATE_TOO_LONG */
export function registerSubscriber(tenant: TenantState, { subscriber, by, at }: RegisterSubscriber & By): Decision<TenantEvent, Registered> {
  requireRegistered(tenant);
  checkEndpoint(tenant, subscriber);
  requireRoom(tenant.subscribers, subscriber.name, LIMITS.vetoSubscribers, 'veto subscribers');
  const { name, url, deadlineMs } = subscriber;
  if (!Number.isSafeInteger(deadlineMs) || deadlineMs < DEADLINE_MIN_MS || deadlineMs > LIMITS.vetoDeadlineMaxMs) {
    throw new GateError('INVALID_REQUEST', `deadlineMs is a whole number from ${DEADLINE_MIN_MS} to ${LIMITS.vetoDeadlineMaxMs}`);
  }
  const secretVersion = lastSecretVersion(tenant, 'veto', name) + 1;
  const registered: VetoSubscriber = { name, url, deadlineMs, secretVersion };
  return { event: { type: 'tenant.SubscriberRegistered', data: { subscriber: registered, by, at } }, reply: { repeated: false, version: secretVersion } };
}

/** Nobody is asked any more from the next evaluation on. @throws GateError NOT_FOUND */
export function removeSubscriber(tenant: TenantState, command: SubscriberRemoved): Decision<TenantEvent, Repeatable> {
  return remove(tenant, 'veto', command.name, tenant.subscribers, { type: 'tenant.SubscriberRemoved', data: command });
}

/** The same name again replaces it and gets another secret. @throws GateError NOT_FOUND, INVALID_REQUEST, URL_NOT_ALLOWED, AGGREGATE_TOO_LONG */
export function registerWebhook(tenant: TenantState, { webhook, by, at }: RegisterWebhook & By): Decision<TenantEvent, Registered> {
  requireRegistered(tenant);
  checkEndpoint(tenant, webhook);
  requireRoom(tenant.webhooks, webhook.name, LIMITS.webhooks, 'webhooks');
  const { name, url, format } = webhook;
  const events = WEBHOOK_EVENTS.filter((event) => webhook.events.includes(event));
  if (events.length === 0 || webhook.events.some((event) => !WEBHOOK_EVENTS.includes(event))) {
    throw new GateError('INVALID_REQUEST', `A webhook is told of at least one of ${WEBHOOK_EVENTS.join(', ')}`);
  }
  if (!WEBHOOK_FORMATS.includes(format)) throw new GateError('INVALID_REQUEST', `A webhook’s format is one of ${WEBHOOK_FORMATS.join(', ')}`);
  const secretVersion = lastSecretVersion(tenant, 'webhook', name) + 1;
  const registered: Webhook = { name, url, events, format, secretVersion };
  return { event: { type: 'tenant.WebhookRegistered', data: { webhook: registered, by, at } }, reply: { repeated: false, version: secretVersion } };
}

/** @throws GateError NOT_FOUND */
export function removeWebhook(tenant: TenantState, command: WebhookRemoved): Decision<TenantEvent, Repeatable> {
  return remove(tenant, 'webhook', command.name, tenant.webhooks, { type: 'tenant.WebhookRemoved', data: command });
}

function remove(tenant: TenantState, kind: 'veto' | 'webhook', name: string, known: ReadonlyMap<string, unknown>, event: TenantEvent): Decision<TenantEvent, Repeatable> {
  requireRegistered(tenant);
  if (lastSecretVersion(tenant, kind, name) === 0) throw new GateError('NOT_FOUND', `There is no ${kind === 'veto' ? 'veto subscriber' : 'webhook'} ${name}`);
  return known.has(name) ? { event, reply: { repeated: false } } : { reply: { repeated: true } };
}

function requireRoom(known: ReadonlyMap<string, unknown>, name: string, most: number, what: string): void {
  if (!known.has(name) && known.size >= most) throw new GateError('AGGREGATE_TOO_LONG', `A tenant has at most ${most} ${what}; remove one first`);
}

/** The shape of the address only: where its name leads is found out at each call, since that may change. */
function checkEndpoint(tenant: TenantState, { name, url }: { readonly name: string; readonly url: string }): void {
  if (!NAME.test(name)) throw new GateError('INVALID_REQUEST', 'It is named in up to 40 lower-case letters, digits and hyphens');
  if (typeof url !== 'string' || url.length > URL_CHARS || !URL.canParse(url)) throw new GateError('URL_NOT_ALLOWED', `This is not a URL of up to ${URL_CHARS} characters`);
  const { protocol, hostname, username, password, hash } = new URL(url);
  if (username !== '' || password !== '') throw new GateError('URL_NOT_ALLOWED', 'A URL with a user or password in it would stand in the log; use one without');
  if (hash !== '') throw new GateError('URL_NOT_ALLOWED', 'A URL with a fragment is not one that can be called');
  if (protocol === 'https:') return;
  if (protocol === 'http:' && mayStartProcesses(tenant) && isLoopback(hostname)) return;
  throw new GateError('URL_NOT_ALLOWED', mayStartProcesses(tenant) ? 'Only https is called, or http at this machine’s own loopback address' : 'Only https is called');
}

const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
