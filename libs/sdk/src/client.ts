import type { PolicyLayer } from '@countersign/contracts';
import type {
  ApprovalPage, ApprovalView, AuditItemPage, AuditPlanPage, AuditRebuildView, AuditStatusView, CorrectedPlanView, CorrectionRequest, DeadLetterListView, DeadLetterView,
  DecidedPlanView, DecisionRequest, DecisionsRequest, DecisionsView, EventListView, ExplainedView, FreezeListView, FreezeRequest, FreezeView, GrantPreviewRequest,
  GrantPreviewView, IssuedKeyView, KeyListView, KeyRequest, LintView, NewSubscriberView, NewWebhookView, OpenSessionRequest, PlanItemView, PlanView, PolicyDiffView,
  PolicyHistoryView, PolicyView, ProposeRequest, ProviderListView, ProviderView, PushedBundleView, RegisterProviderRequest, RetriedView, SessionGrantListView,
  SessionView, SettingsBody, SettingsView, ShadowPolicyView, SimulateRequest, StandingGrantPage, StandingGrantView, SubscriberListView, SubscriberRequest,
  TenantKeyRequest, TenantRequest, TenantView, ToolListView, WebhookListView, WebhookRequest, WhyView,
} from '@countersign/contracts/http';
import { approvalEvents, type ApprovalEvent } from './approval-events.js';
import { bodyOfBundle, yamlText, type BundleGiven, type BundleOrDigest } from './bundle-body.js';
import { parseEventStream, type LogEvent } from './event-stream.js';
import { HttpTransport, type RequestOptions, type TransportOptions } from './http-transport.js';
import { eachRow } from './pages.js';
import type { ApprovalFilter, GrantFilter, InLayer } from './queries.js';

/** How long the gate may hold the answer back, and for what. */
export interface Wait {
  /** Seconds, at most 60. */
  readonly wait?: number;
  /** `verdict`: every item is allowed, asked or denied. `settled`: every item has come to its end. */
  readonly until?: 'verdict' | 'settled';
}

/** A handler that is run again may take as long as a delivery's. */
const RETRY_MS = 100_000;

type Query = RequestOptions['query'];
const at = (...parts: string[]): string => `/v1/${parts.map(encodeURIComponent).join('/')}`;
const inLayer = (layer?: PolicyLayer): RequestOptions => ({ query: { layer } });
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
  /** One item with all its bodies, also those that the plan's view leaves out. */
  planItem = (plan: string, item: string) => this.http.request<PlanItemView>('GET', at('plans', plan, 'items', item));
  /** Repeating an answer is safe: the same one again gets the stored result, any other one ALREADY_RESOLVED. */
  decide = (plan: string, item: string, body: DecisionRequest) =>
    this.http.request<DecidedPlanView>('POST', at('plans', plan, 'items', item, 'decision'), { body });
  /** Answers when the item with its new arguments has its verdict, or when that is too long in coming. */
  correct = (plan: string, item: string, body: CorrectionRequest) =>
    this.http.request<CorrectedPlanView>('POST', at('plans', plan, 'items', item, 'correction'), { body });
  decideMany = (plan: string, body: DecisionsRequest) => this.http.request<DecisionsView>('POST', at('plans', plan, 'decisions'), { body });
  cancelPlan = (id: string) => this.http.request<PlanView>('POST', at('plans', id, 'cancel'));

  registerProvider = (body: RegisterProviderRequest) => this.http.request<ProviderView>('POST', at('providers'), { body });
  providers = () => this.http.request<ProviderListView>('GET', at('providers'));
  provider = (name: string) => this.http.request<ProviderView>('GET', at('providers', name));
  removeProvider = (name: string) => this.http.request<void>('DELETE', at('providers', name));

  /** The bundle in force. */
  policy = (layer?: PolicyLayer) => this.http.request<PolicyView>('GET', at('policies'), inLayer(layer));
  /** Replaces the whole bundle, or changes nothing. */
  activatePolicy = (bundle: BundleOrDigest, layer?: PolicyLayer) =>
    this.http.request<PolicyView>('POST', at('policies'), { ...bodyOfBundle(bundle), ...inLayer(layer) });
  /** Keeps a bundle under its digest, without effect. */
  pushPolicy = (bundle: BundleGiven, layer?: PolicyLayer) =>
    this.http.request<PushedBundleView>('POST', at('policies', 'push'), { ...bodyOfBundle(bundle), ...inLayer(layer) });
  /** Puts an earlier version in force again, as a new one; without `version` the one before. */
  rollBackPolicy = ({ version, layer }: { version?: number } & InLayer = {}) =>
    this.http.request<PolicyView>('POST', at('policies', 'rollback'), { body: { version }, ...inLayer(layer) });
  policyHistory = (layer?: PolicyLayer) => this.http.request<PolicyHistoryView>('GET', at('policies', 'history'), inLayer(layer));
  policyVersion = (version: number, layer?: PolicyLayer) => this.http.request<PolicyView>('GET', at('policies', 'versions', String(version)), inLayer(layer));
  /** Version 0 is the empty bundle before the first. */
  policyDiff = (from: number, to: number, layer?: PolicyLayer) => this.http.request<PolicyDiffView>('GET', at('policies', 'diff'), { query: { from, to, layer } });
  /** What is wrong with a bundle's text, with line, column and a suggestion. */
  lintPolicy = (text: string, layer?: PolicyLayer) => this.http.request<LintView>('POST', at('policies', 'lint'), { ...yamlText(text), ...inLayer(layer) });
  /** What policy would say of a call that nobody made. */
  simulate = (body: SimulateRequest) => this.http.request<ExplainedView>('POST', at('policies', 'simulate'), { body });
  /** Every rule that matched an item, in order, and why the winner won. */
  explain = (plan: string, item: string) => this.http.request<ExplainedView>('GET', at('plans', plan, 'items', item, 'explain'));
  /** The bundle that is evaluated and recorded beside the one in force, without effect. */
  shadowPolicy = () => this.http.request<ShadowPolicyView>('GET', at('policies', 'shadow'));
  chooseShadowPolicy = (bundle: BundleOrDigest) => this.http.request<ShadowPolicyView>('POST', at('policies', 'shadow'), bodyOfBundle(bundle));
  dropShadowPolicy = () => this.http.request<ShadowPolicyView>('DELETE', at('policies', 'shadow'));

  /** One page of what waits for a person, oldest first. */
  approvals = (query: ApprovalFilter & { cursor?: string } = {}) => this.http.request<ApprovalPage>('GET', at('approvals'), { query: { ...query } });
  /** All of it, page by page as it is read. */
  eachApproval = (query: ApprovalFilter = {}): AsyncGenerator<ApprovalView> => eachRow((cursor) => this.approvals({ ...query, cursor }));
  /** Changes of the queue from `cursor` on (default: from now). Comes back once the gate follows the log: what is written from then on is in it. */
  approvalChanges = async (where: { cursor?: string; signal?: AbortSignal } = {}): Promise<AsyncGenerator<ApprovalEvent>> =>
    approvalEvents(await this.http.stream(at('approvals', 'events'), { query: { cursor: where.cursor }, signal: where.signal }));

  /** Standing rules that people's answers of scope always made. */
  grants = (query: GrantFilter & { cursor?: string } = {}) => this.http.request<StandingGrantPage>('GET', at('grants'), { query: { ...query } });
  grant = (id: string) => this.http.request<StandingGrantView>('GET', at('grants', id));
  revokeGrant = (id: string, reason?: string) => this.http.request<StandingGrantView>('POST', at('grants', id, 'revoke'), { body: { reason } });
  /** What an always for this item would have allowed in the last 30 days. */
  previewGrant = (body: GrantPreviewRequest) => this.http.request<GrantPreviewView>('POST', at('grants', 'preview'), { body });
  sessionGrants = (session: string) => this.http.request<SessionGrantListView>('GET', at('sessions', session, 'grants'));
  revokeSessionGrant = (session: string, id: string) => this.http.request<SessionGrantListView>('POST', at('sessions', session, 'grants', id, 'revoke'));

  settings = () => this.http.request<SettingsView>('GET', at('settings'));
  /** All of them at once. */
  changeSettings = (body: SettingsBody) => this.http.request<SettingsView>('PUT', at('settings'), { body });
  webhooks = () => this.http.request<WebhookListView>('GET', at('webhooks'));
  /** The same name again replaces it. The answer is the only one that holds the secret. */
  registerWebhook = (body: WebhookRequest) => this.http.request<NewWebhookView>('POST', at('webhooks'), { body });
  removeWebhook = (name: string) => this.http.request<void>('DELETE', at('webhooks', name));
  subscribers = () => this.http.request<SubscriberListView>('GET', at('subscribers'));
  /** An external check that can veto; else as `registerWebhook`. */
  registerSubscriber = (body: SubscriberRequest) => this.http.request<NewSubscriberView>('POST', at('subscribers'), { body });
  removeSubscriber = (name: string) => this.http.request<void>('DELETE', at('subscribers', name));

  /** The emergency stop: nothing of what it names is allowed or started any more. */
  freeze = (body: FreezeRequest, idempotencyKey?: string) => this.http.request<FreezeView>('POST', at('freeze'), { body, idempotencyKey });
  freezes = () => this.http.request<FreezeListView>('GET', at('freeze'));
  unfreeze = (id: string) => this.http.request<void>('DELETE', at('freeze', id));

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
