import type {
  AuditItemPage, AuditPlanPage, AuditRebuildView, AuditStatusView, DeadLetterListView, DeadLetterView, DecisionRequest, DecisionsRequest,
  DecisionsView, EventListView, IssuedKeyView, KeyListView, KeyRequest, OpenSessionRequest, PlanView, PolicyRequest, PolicyView,
  ProposeRequest, ProviderListView, ProviderView, RegisterProviderRequest, RetriedView, SessionView, TenantKeyRequest, TenantRequest, TenantView, ToolListView,
  WhyView,
} from '@countersign/contracts/http';
import { parseEventStream, type LogEvent } from './event-stream.js';
import { HttpTransport, type RequestOptions, type TransportOptions } from './http-transport.js';

/** How long the gate may hold the answer back, and for what. */
export interface Wait {
  /** Seconds, at most 60. */
  readonly wait?: number;
  /** `verdict`: every item is allowed, asked or denied. `settled`: every item has come to its end. */
  readonly until?: 'verdict' | 'settled';
}

/** A handler that is run again may take as long as a delivery's. */
const RETRY_MS = 100_000;

type Query = Readonly<Record<string, string | number | undefined>>;
const at = (...parts: string[]): string => `/v1/${parts.map(encodeURIComponent).join('/')}`;
const waiting = (wait: Wait): RequestOptions => ({ query: { ...wait }, extraMs: (wait.wait ?? 0) * 1_000 });

/** The public API, one method a route. Shapes: `@countersign/contracts/http`, or `/openapi.json`. Every method throws CountersignError. */
export class CountersignClient {
  private readonly http: HttpTransport;

  constructor(options: TransportOptions) {
    this.http = new HttpTransport(options);
  }

  /** Operator's key only. */
  createTenant = (body: TenantRequest) => this.http.request<TenantView>('POST', at('tenants'), { body });
  /** Operator's key only: for a tenant whose keys are lost. */
  issueTenantKey = (tenant: string, body: TenantKeyRequest = {}) => this.http.request<IssuedKeyView>('POST', at('tenants', tenant, 'keys'), { body });
  issueKey = (body: KeyRequest) => this.http.request<IssuedKeyView>('POST', at('keys'), { body });
  keys = () => this.http.request<KeyListView>('GET', at('keys'));
  revokeKey = (keyId: string) => this.http.request<void>('DELETE', at('keys', keyId));

  openSession = (body: OpenSessionRequest, idempotencyKey?: string) =>
    this.http.request<SessionView>('POST', at('sessions'), { body, idempotencyKey });
  session = (id: string) => this.http.request<SessionView>('GET', at('sessions', id));
  endSession = (id: string, reason?: string) => this.http.request<SessionView>('POST', at('sessions', id, 'end'), { body: { reason } });
  tools = (session: string) => this.http.request<ToolListView>('GET', at('sessions', session, 'tools'));

  /** With an idempotency key the same call can be repeated safely: it yields the same plan. */
  propose = (session: string, body: ProposeRequest, options: Wait & { idempotencyKey?: string } = {}) => {
    const { idempotencyKey, ...wait } = options;
    return this.http.request<PlanView>('POST', at('sessions', session, 'plans'), { body, idempotencyKey, ...waiting(wait) });
  };

  /** @param options.at position in the log: the plan as it was then */
  plan = (id: string, options: Wait & { at?: number } = {}) => this.http.request<PlanView>('GET', at('plans', id), waiting(options));
  planEvents = (id: string) => this.http.request<EventListView>('GET', at('plans', id, 'events'));
  why = (id: string) => this.http.request<WhyView>('GET', at('plans', id, 'why'));
  decide = (plan: string, item: string, body: DecisionRequest) =>
    this.http.request<PlanView>('POST', at('plans', plan, 'items', item, 'decision'), { body });
  decideMany = (plan: string, body: DecisionsRequest) => this.http.request<DecisionsView>('POST', at('plans', plan, 'decisions'), { body });
  cancelPlan = (id: string) => this.http.request<PlanView>('POST', at('plans', id, 'cancel'));

  registerProvider = (body: RegisterProviderRequest) => this.http.request<ProviderView>('POST', at('providers'), { body });
  providers = () => this.http.request<ProviderListView>('GET', at('providers'));
  provider = (name: string) => this.http.request<ProviderView>('GET', at('providers', name));
  removeProvider = (name: string) => this.http.request<void>('DELETE', at('providers', name));

  policy = () => this.http.request<PolicyView>('GET', at('policies'));
  activatePolicy = (body: PolicyRequest) => this.http.request<PolicyView>('POST', at('policies'), { body });
  /** A bundle as its author wrote it, YAML or JSON; the gate reads it, so that there is one reading of it. */
  activatePolicyText = (yaml: string) =>
    this.http.request<PolicyView>('POST', at('policies'), { text: { type: 'application/yaml', content: yaml } });

  auditStatus = () => this.http.request<AuditStatusView>('GET', at('audit', 'status'));
  auditPlans = (query: Query = {}) => this.http.request<AuditPlanPage>('GET', at('audit', 'plans'), { query });
  auditItems = (query: Query = {}) => this.http.request<AuditItemPage>('GET', at('audit', 'plan-items'), { query });
  /** Operator's key only. Begins to rebuild the tables beside those in use, to compare them, unless that is done already; says what runs. */
  startAuditRebuild = () => this.http.request<AuditRebuildView>('POST', at('audit', 'rebuild'));
  /** Operator's key only. How far the last rebuild is, and what the last one that finished has found. */
  auditRebuild = () => this.http.request<AuditRebuildView>('GET', at('audit', 'rebuild'));
  /** Operator's key only: of everybody's events. */
  wholeAuditStatus = () => this.http.request<AuditStatusView>('GET', at('operator', 'audit'));

  deadLetters = () => this.http.request<DeadLetterListView>('GET', at('dead-letters'));
  deadLetter = (stream: string, sequence: number, service?: string) =>
    this.http.request<DeadLetterView>('GET', at('dead-letters', stream, String(sequence)), { query: { service } });
  /** @param service one of those that could not handle it; all of them without it */
  retryDeadLetter = (stream: string, sequence: number, service?: string) =>
    this.http.request<RetriedView>('POST', at('dead-letters', stream, String(sequence), 'retry'), { query: { service }, extraMs: RETRY_MS });
  /** Operator's key only, as the next two: what belongs to no tenant. */
  ownerlessDeadLetters = () => this.http.request<DeadLetterListView>('GET', at('operator', 'dead-letters'));
  ownerlessDeadLetter = (stream: string, sequence: number, service?: string) =>
    this.http.request<DeadLetterView>('GET', at('operator', 'dead-letters', stream, String(sequence)), { query: { service } });
  retryOwnerlessDeadLetter = (stream: string, sequence: number, service?: string) =>
    this.http.request<RetriedView>('POST', at('operator', 'dead-letters', stream, String(sequence), 'retry'), { query: { service }, extraMs: RETRY_MS });

  /** Live from `cursor` on (default: from now); ends when the connection does. Give the last event's id to go on. */
  async *events(where: { session?: string; cursor?: string; signal?: AbortSignal } = {}): AsyncGenerator<LogEvent> {
    const path = where.session === undefined ? at('events') : at('sessions', where.session, 'events');
    yield* parseEventStream(await this.http.stream(path, { query: { cursor: where.cursor }, signal: where.signal }));
  }
}
