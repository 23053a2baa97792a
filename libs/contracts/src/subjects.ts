import { NO_SESSION, type PlanId, type SessionId, type TenantId, sessionOfPlan } from './ids.js';
import type { PolicyLayer } from './policy.js';
import { LOG_STREAMS, STREAM_OF, type AggregateName, type LogStream, type ServiceName } from './flow.js';

/** Names one aggregate: `evt.<tenant>.<session>.<aggregate>.<id>`. */
export interface AggregateKey {
  readonly tenant: TenantId;
  /** `_` where there is no session. */
  readonly session: SessionId | typeof NO_SESSION;
  readonly aggregate: AggregateName;
  readonly id: string;
}

export const planKey = (tenant: TenantId, plan: PlanId): AggregateKey => ({
  tenant, session: sessionOfPlan(plan) ?? NO_SESSION, aggregate: 'plan', id: plan,
});
export const sessionKey = (tenant: TenantId, session: SessionId): AggregateKey => ({
  tenant, session, aggregate: 'session', id: session,
});
export const tenantKey = (tenant: TenantId): AggregateKey => ({ tenant, session: NO_SESSION, aggregate: 'tenant', id: tenant });
export const providerKey = (tenant: TenantId, provider: string): AggregateKey => ({
  tenant, session: NO_SESSION, aggregate: 'provider', id: provider,
});
/** A tenant has one bundle of rules and one of guardrails in force at a time. */
export const policyKey = (tenant: TenantId, layer: PolicyLayer = 'rules'): AggregateKey => ({
  tenant, session: NO_SESSION, aggregate: 'policy', id: layer === 'rules' ? 'bundle' : 'guardrails',
});
export const grantKey = (tenant: TenantId, grant: string): AggregateKey => ({ tenant, session: NO_SESSION, aggregate: 'grant', id: grant });

export const streamOf = (key: AggregateKey): LogStream => STREAM_OF[key.aggregate];

/**
 * The only builder of an aggregate's filter. Every append carries exactly this text with the expected last sequence;
 * two spellings of the same set of subjects would let two writers win.
 */
export function aggregateFilter(key: AggregateKey): string {
  return `evt.${key.tenant}.${key.session}.${key.aggregate}.${key.id}.>`;
}

export function eventSubject(key: AggregateKey, author: ServiceName, rev: number): string {
  return `evt.${key.tenant}.${key.session}.${key.aggregate}.${key.id}.${author}.${rev}`;
}

/** Everything of one session: its own facts and its plans'. */
export const sessionFilter = (tenant: TenantId, session: SessionId): string => `evt.${tenant}.${session}.>`;
/** Every aggregate of one kind that belongs to no session, e.g. all of a tenant's providers. */
export const catalogueFilter = (tenant: TenantId, aggregate: AggregateName): string => `evt.${tenant}.${NO_SESSION}.${aggregate}.>`;
/** Everything of one tenant, in whichever stream. */
export const tenantFilter = (tenant: TenantId): string => `evt.${tenant}.>`;

export interface ParsedSubject {
  readonly key: AggregateKey;
  readonly author: ServiceName;
  readonly rev: number;
}

const REVISION = /^[1-9]\d{0,15}$/;

/**
 * Undefined when it is not an event's subject; never throws. Accepts the live feed's `live.evt.…` too. A subject has one
 * spelling: a revision `01` or `1e3` would be a second subject for the same event.
 */
export function parseEventSubject(subject: string): ParsedSubject | undefined {
  const bare = subject.startsWith('live.') ? subject.slice(5) : subject;
  const [evt, tenant, session, aggregate, id, author, rev, ...rest] = bare.split('.');
  if (evt !== 'evt' || rest.length > 0 || !tenant || !session || !id || !author || !rev) return undefined;
  if (!aggregate || !Object.hasOwn(STREAM_OF, aggregate)) return undefined;
  const revision = Number(rev);
  if (!REVISION.test(rev) || !Number.isSafeInteger(revision)) return undefined;
  return { key: { tenant, session, aggregate: aggregate as AggregateName, id }, author: author as ServiceName, rev: revision };
}

/** One delivery: what happened at `sequence` of `stream`, told to one webhook. Its subject is written once. */
export interface OutboxKey {
  readonly tenant: TenantId;
  readonly webhook: string;
  readonly stream: LogStream;
  readonly sequence: number;
}

export const outboxSubject = ({ tenant, webhook, stream, sequence }: OutboxKey): string => `outbox.notifier.${tenant}.${webhook}.${stream}.${sequence}`;

/** Undefined when it is not a delivery's subject; never throws. */
export function parseOutboxSubject(subject: string): OutboxKey | undefined {
  const [outbox, service, tenant, webhook, stream, sequence, ...rest] = subject.split('.');
  if (outbox !== 'outbox' || service !== 'notifier' || rest.length > 0 || !tenant || !webhook || !sequence || !REVISION.test(sequence)) return undefined;
  const known = LOG_STREAMS.find((name) => name === stream);
  return known ? { tenant, webhook, stream: known, sequence: Number(sequence) } : undefined;
}

export const keyText = (key: AggregateKey): string => `${key.tenant}.${key.session}.${key.aggregate}.${key.id}`;
export const commandSubject = (service: ServiceName, verb: string): string => `cmd.${service}.${verb}`;
export const blobSubject = (store: 'BLOBS' | 'RESULTS', tenant: TenantId, digest: string, part: number | '>'): string =>
  `${store === 'BLOBS' ? 'blob' : 'result'}.${tenant}.${digest}.${part}`;
export const LIVE_PREFIX = 'live.';
