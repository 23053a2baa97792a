import type { ApiKeyRecord, AnswerAssertion, AnswerDecision } from './events/index.js';
import type { ServiceName } from './flow.js';
import type { ItemId, PlanId, PrincipalId, SessionId, TenantId } from './ids.js';
import type { JsonObject } from './json.js';
import type { PolicyBundle } from './policy.js';
import type { Sealed } from './sealed.js';
import type { ProviderEndpoint, ToolSchema } from './tool-schema.js';
import type { WireError } from './errors.js';

/**
 * Commands: core NATS request/reply on `cmd.<service>.<verb>`. Only the gateway's account can send them, so tenant and
 * principal in here come from a verified credential and never from a request body.
 */
export interface CommandContext {
  readonly tenant: TenantId;
  readonly principal: PrincipalId;
  readonly correlationId: string;
  readonly traceparent?: string;
}

export type Command<T> = T & { readonly context: CommandContext };
export type CommandReply<R> = { readonly ok: true; readonly data: R } | { readonly ok: false; readonly error: WireError };

export interface RegisterTenant { readonly name: string; readonly localProcesses: boolean; readonly keys: readonly ApiKeyRecord[]; readonly at: string }
export interface IssueKey { readonly key: ApiKeyRecord; readonly at: string }
export interface RevokeKey { readonly keyId: string; readonly at: string }
export interface DescribeProvider { readonly endpoint: ProviderEndpoint }
export interface DescribedProvider { readonly operations: readonly ToolSchema[] }
export interface RegisterProvider { readonly name: string; readonly endpoint: ProviderEndpoint; readonly operations: readonly ToolSchema[]; readonly at: string }
export interface RemoveProvider { readonly name: string; readonly at: string }
export interface OpenSession {
  readonly sessionId: SessionId;
  readonly agent: string;
  readonly profile: string;
  readonly kind: 'chat' | 'run' | 'listener';
  readonly requestDigest: string;
  readonly at: string;
}
export interface EndSession { readonly sessionId: SessionId; readonly reason: string; readonly at: string }
export interface ProposedCall { readonly callId: string; readonly provider: string; readonly operation: string; readonly input: Sealed<JsonObject> }
export interface Propose {
  readonly planId: PlanId;
  readonly sessionId: SessionId;
  readonly turnId: string;
  readonly requestDigest: string;
  readonly calls: readonly ProposedCall[];
  readonly at: string;
}
export interface AnswerItem {
  readonly planId: PlanId;
  readonly itemId: ItemId;
  readonly itemDigest: string;
  readonly decision: AnswerDecision;
  readonly reason?: string;
  readonly assertion: AnswerAssertion;
  readonly at: string;
}
export interface CancelPlan { readonly planId: PlanId; readonly at: string }
export interface ActivateBundle { readonly bundle: PolicyBundle; readonly at: string }
/** Drives the same message through the same handler. */
export interface RetryDeadLetter {
  readonly stream: string;
  readonly sequence: number;
  /** ADVISORIES' last sequence on the service's retry subject, 0 when none: what the caller saw. Two retries on one sight: one wins. */
  readonly after: number;
}

/** What was appended, or found appended before by the same command. */
export interface Accepted {
  readonly sequence: number;
  /** True when an earlier identical command had done it. */
  readonly repeated?: true;
  readonly version?: number;
}

/** Answered by every service, also by one that consumes nothing. Holds no secret and no tenant's fact. */
export interface ServiceHealth {
  readonly service: ServiceName;
  readonly version: string;
  readonly instance: string;
  readonly upMs: number;
  readonly draining: boolean;
  readonly consumers: readonly ConsumerHealth[];
}
export interface ConsumerHealth {
  readonly stream: string;
  /** In the stream and not yet delivered for the first time. */
  readonly lag: number;
  /** Delivered to some process of the service and not yet acknowledged. */
  readonly unacknowledged: number;
  /** In this process. */
  readonly running: number;
  /** In this process: messages that wait for their time under an extended lease. */
  readonly held: number;
  readonly handled: number;
  readonly failed: number;
}

type HealthCommands = { [S in ServiceName as `${S}.health`]: [object, ServiceHealth] };
type DeadLetterCommands = { [S in ServiceName as `${S}.dead-letter`]: [RetryDeadLetter, Accepted] };

/** One row: verb → [payload, reply]. */
export interface CommandMap extends HealthCommands, DeadLetterCommands {
  'planner.register-tenant': [RegisterTenant, Accepted];
  'planner.issue-key': [IssueKey, Accepted];
  'planner.revoke-key': [RevokeKey, Accepted];
  'planner.register-provider': [RegisterProvider, Accepted];
  'planner.remove-provider': [RemoveProvider, Accepted];
  'planner.open-session': [OpenSession, Accepted];
  'planner.end-session': [EndSession, Accepted];
  'planner.propose': [Propose, Accepted];
  'planner.answer': [AnswerItem, Accepted];
  'planner.cancel': [CancelPlan, Accepted];
  'policy.activate-bundle': [ActivateBundle, Accepted & { readonly warnings: readonly string[] }];
  'executor.describe-provider': [DescribeProvider, DescribedProvider];
  'audit.status': [AskAuditStatus, AuditStatus];
  'audit.query-plans': [AuditPlanQuery, AuditPage<AuditPlanRow>];
  'audit.query-items': [AuditItemQuery, AuditPage<AuditItemRow>];
  'audit.rebuild': [object, AuditRebuildStatus];
  'audit.rebuild-status': [object, AuditRebuildStatus];
}
export type CommandName = keyof CommandMap;

/** A tenant is told of its own events; the installation's operator of everything. */
export interface AskAuditStatus { readonly whole?: boolean }
export interface AuditCheckpoint {
  /** How far the stream is in the tables. For a tenant: at most `logSequence`. */
  readonly sequence: number;
  /** Last event of the stream. For a tenant: its own last one, 0 when it has none. */
  readonly logSequence: number;
  /** From the broker's time of the newest projected event to the end of its transaction; absent where another process projects. */
  readonly lagMs?: number;
  /** Why this process has stopped projecting the stream for good. */
  readonly halted?: WireError;
}
export interface AuditStatus {
  readonly checkpoints: Readonly<Record<string, AuditCheckpoint>>;
  readonly quarantined: number;
}
export interface AuditPlanQuery {
  readonly from?: string; readonly to?: string; readonly session?: SessionId; readonly requester?: PrincipalId;
  readonly limit?: number; readonly cursor?: string;
}
export interface AuditItemQuery extends AuditPlanQuery {
  readonly provider?: string; readonly operation?: string; readonly decision?: string; readonly risk?: string;
}
export interface AuditPage<Row> {
  readonly rows: readonly Row[];
  readonly nextCursor?: string;
  /** Log position of GATE that the answer reflects. */
  readonly reflects: number;
}
export interface AuditPlanRow {
  readonly planId: PlanId; readonly sessionId: SessionId; readonly turnId: string; readonly requester: PrincipalId;
  readonly proposedAt: string; readonly items: number; readonly sequence: number;
}
export interface AuditItemRow {
  readonly planId: PlanId; readonly itemId: ItemId; readonly callId: string; readonly provider: string; readonly operation: string;
  readonly kind: string; readonly risk: string; readonly description: string; readonly category: string; readonly inputDigest: string;
  readonly decision?: string; readonly decidedBy?: string; readonly answeredBy?: string; readonly answer?: string; readonly outcome?: string;
}
export interface AuditRebuildStatus {
  /** Of the last rebuild that was begun, in whichever process of the audit. */
  readonly state: 'none' | 'running' | 'finished' | 'failed';
  /** Which one it is. */
  readonly rebuild?: string;
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** Projected again so far. Before the first and after the last one the tables are read. */
  readonly events: number;
  readonly total: number;
  /** Why it failed. */
  readonly error?: WireError;
  /** Of the last rebuild that has finished, which may be an older one: `reportOf` names it. */
  readonly report?: AuditRebuildReport;
  readonly reportOf?: string;
}
export interface AuditRebuildReport {
  readonly identical: boolean;
  readonly upTo: Readonly<Record<string, number>>;
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly digest: string; readonly rebuiltRows: number; readonly rebuiltDigest: string }[];
}
