import type { EventType } from './events/index.js';

/**
 * The one map of who does what. NATS accounts and permissions, streams, consumers, `docs/FLOW.md` and the tests
 * are derived from it; nothing else may say which service writes or reads what.
 */
export const SERVICES = ['gateway', 'planner', 'preview-fanout', 'policy', 'executor', 'run-engine', 'notifier', 'audit'] as const;
export type ServiceName = (typeof SERVICES)[number];

export const AGGREGATES = ['plan', 'session', 'tenant', 'provider', 'policy', 'grant'] as const;
export type AggregateName = (typeof AGGREGATES)[number];

/** Two logs by lifetime: GATE (sessions, plans, later runs) and CATALOG (never expires). */
export const LOG_STREAMS = ['GATE', 'CATALOG'] as const;
export type LogStream = (typeof LOG_STREAMS)[number];

export const STREAM_OF: Readonly<Record<AggregateName, LogStream>> = {
  plan: 'GATE',
  session: 'GATE',
  tenant: 'CATALOG',
  provider: 'CATALOG',
  policy: 'CATALOG',
  grant: 'CATALOG',
};

/** The only service that may append each fact, in the order of one call's way. */
export const AUTHOR_OF: Readonly<Record<EventType, ServiceName>> = {
  'tenant.Registered': 'planner',
  'tenant.KeyIssued': 'planner',
  'tenant.KeyRevoked': 'planner',
  'tenant.SettingsChanged': 'planner',
  'tenant.SubscriberRegistered': 'planner',
  'tenant.SubscriberRemoved': 'planner',
  'tenant.WebhookRegistered': 'planner',
  'tenant.WebhookRemoved': 'planner',
  'tenant.Frozen': 'planner',
  'tenant.Unfrozen': 'planner',
  'provider.Registered': 'planner',
  'provider.Removed': 'planner',
  'policy.BundlePushed': 'policy',
  'policy.BundleActivated': 'policy',
  'policy.ShadowChosen': 'policy',
  'grant.Reserved': 'policy',
  'grant.Activated': 'policy',
  'grant.Revoked': 'policy',
  'session.Opened': 'planner',
  'session.Granted': 'planner',
  'session.GrantRevoked': 'planner',
  'session.LimitReached': 'planner',
  'session.Ended': 'planner',
  'plan.Proposed': 'planner',
  'plan.Previewed': 'preview-fanout',
  'plan.Evaluated': 'policy',
  'plan.ItemsAnswered': 'planner',
  'plan.ItemsVoted': 'planner',
  'plan.ItemCorrected': 'planner',
  'plan.ItemsExpired': 'planner',
  'plan.ApplyStarted': 'executor',
  'plan.Outcomes': 'executor',
  'plan.Closed': 'planner',
};

/** A durable pull consumer. Its subject filters are built from (aggregate, author) by `consumerFilters`. */
export interface ConsumerSpec {
  readonly stream: LogStream | 'TIMER_planner' | 'OUTBOX';
  /** Also the durable's name: the service itself, one durable a stream. */
  readonly from: readonly { readonly aggregate: AggregateName; readonly author: ServiceName }[] | 'everything' | 'timers' | 'outbox';
}

export interface ServiceSpec {
  /** NATS account, one each. */
  readonly account: string;
  /** In one sentence: what this service does with what it consumes. */
  readonly does: string;
  readonly consumes: readonly ConsumerSpec[];
  /** Command subjects are `cmd.<service>.<verb>`; the gateway may call them all, another service those of its `calls`. */
  readonly serves: readonly string[];
  /** Commands to other services, one by one. */
  readonly calls?: readonly { readonly service: ServiceName; readonly verb: string }[];
  /** Whether it writes deliveries into OUTBOX. */
  readonly outbox?: true;
  readonly reads: readonly LogStream[];
  readonly blobs: 'none' | 'read' | 'write';
  readonly results: 'none' | 'read' | 'write';
  readonly timers: boolean;
  /** Whether it receives the live feed `live.>`. */
  readonly live: boolean;
}

export const FLOW: Readonly<Record<ServiceName, ServiceSpec>> = {
  gateway: {
    account: 'GATEWAY',
    does: 'turns HTTP into commands, and the log into answers',
    consumes: [],
    serves: [],
    reads: ['GATE', 'CATALOG'],
    blobs: 'write',
    results: 'read',
    timers: false,
    live: true,
  },
  planner: {
    account: 'PLANNER',
    does: 'writes what was asked of the gate: sessions, plans, answers, expiry, trips; judges nothing',
    consumes: [{ stream: 'TIMER_planner', from: 'timers' }, { stream: 'GATE', from: [{ aggregate: 'plan', author: 'policy' }] }],
    serves: [
      'register-tenant', 'issue-key', 'revoke-key', 'register-provider', 'remove-provider',
      'open-session', 'end-session', 'revoke-session-grant', 'propose', 'answer', 'correct', 'cancel', 'dead-letter',
      'change-settings', 'register-subscriber', 'remove-subscriber', 'register-webhook', 'remove-webhook', 'freeze', 'unfreeze',
    ],
    calls: [{ service: 'policy', verb: 'reserve-grant' }, { service: 'policy', verb: 'activate-grant' }],
    reads: ['GATE', 'CATALOG'],
    blobs: 'write',
    results: 'none',
    timers: true,
    live: false,
  },
  'preview-fanout': {
    account: 'FANOUT',
    does: 'asks providers what an item would do, each within its own deadline',
    consumes: [{ stream: 'GATE', from: [{ aggregate: 'plan', author: 'planner' }] }],
    serves: ['dead-letter'],
    reads: ['GATE', 'CATALOG'],
    blobs: 'write',
    results: 'none',
    timers: false,
    live: false,
  },
  policy: {
    account: 'POLICY',
    does: 'judges every item on its own: allow, ask or deny',
    consumes: [{
      stream: 'GATE',
      from: [{ aggregate: 'plan', author: 'planner' }, { aggregate: 'plan', author: 'preview-fanout' }],
    }],
    serves: [
      'push-bundle', 'activate-bundle', 'roll-back', 'choose-shadow', 'lint', 'simulate', 'explain',
      'reserve-grant', 'activate-grant', 'revoke-grant', 'dead-letter',
    ],
    reads: ['GATE', 'CATALOG'],
    blobs: 'write',
    results: 'none',
    timers: false,
    live: false,
  },
  executor: {
    account: 'EXECUTOR',
    does: 'applies what the fold of the plan allows, once',
    consumes: [{ stream: 'GATE', from: [{ aggregate: 'plan', author: 'policy' }, { aggregate: 'plan', author: 'planner' }] }],
    serves: ['describe-provider', 'dead-letter'],
    reads: ['GATE', 'CATALOG'],
    blobs: 'read',
    results: 'write',
    timers: false,
    live: false,
  },
  'run-engine': {
    account: 'RUNENGINE',
    does: 'will drive staged runs; today it consumes nothing and records nothing',
    consumes: [],
    serves: [],
    reads: ['GATE', 'CATALOG'],
    blobs: 'none',
    results: 'none',
    timers: false,
    live: false,
  },
  notifier: {
    account: 'NOTIFIER',
    does: 'tells webhooks and chats what was asked, answered, expired or tripped',
    consumes: [
      { stream: 'GATE', from: [{ aggregate: 'plan', author: 'policy' }, { aggregate: 'plan', author: 'planner' }, { aggregate: 'session', author: 'planner' }] },
      { stream: 'OUTBOX', from: 'outbox' },
    ],
    serves: ['dead-letter'],
    outbox: true,
    reads: ['GATE', 'CATALOG'],
    blobs: 'read',
    results: 'none',
    timers: false,
    live: false,
  },
  audit: {
    account: 'AUDIT',
    does: 'writes every event into PostgreSQL, once and in order, and never changes it',
    consumes: [{ stream: 'GATE', from: 'everything' }, { stream: 'CATALOG', from: 'everything' }],
    serves: ['status', 'query-plans', 'query-items', 'query-approvals', 'grant-use', 'preview-grant', 'rebuild', 'rebuild-status'],
    reads: ['GATE', 'CATALOG'],
    blobs: 'read',
    results: 'read',
    timers: false,
    live: false,
  },
};

/** Served by every service besides its own `serves`. */
export const COMMON_VERBS = ['health'] as const;

/** Who does not (the audit) reads the log again from its checkpoint by itself, so a delivery of it that ran out has lost nothing. */
export const retriesDeadLetters = (service: ServiceName): boolean => FLOW[service].serves.includes('dead-letter');

/** Event types a service may append. */
export function emittedBy(service: ServiceName): EventType[] {
  return (Object.keys(AUTHOR_OF) as EventType[]).filter((type) => AUTHOR_OF[type] === service);
}

/** Aggregates a service may append to, each once. */
export function aggregatesWrittenBy(service: ServiceName): AggregateName[] {
  return [...new Set(emittedBy(service).map((type) => type.slice(0, type.indexOf('.')) as AggregateName))];
}
