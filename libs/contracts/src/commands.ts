import type { ApiKeyRecord, AnswerAssertion, AnswerDecision } from './events/index.js';
import type { Explained, LintReport, SimulatedCall } from './policy-views.js';
import type { ServiceName } from './flow.js';
import type { ItemId, PlanId, PrincipalId, SessionId, TenantId } from './ids.js';
import type { JsonObject } from './json.js';
import type { GrantNarrow, GrantOrigin, PermissionMode, PolicyLayer, Scope } from './policy.js';
import type { Sealed } from './sealed.js';
import type { ProviderEndpoint, ToolSchema } from './tool-schema.js';
import type { WireError } from './errors.js';
import type { FreezeTarget, TenantSettings, VetoSubscriber, Webhook } from './tenant-settings.js';

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
  readonly permissionMode?: PermissionMode;
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
  /** Roles and groups of the key. */
  readonly roles: readonly string[];
  readonly scope: Scope;
  readonly narrow?: GrantNarrow;
  /** With scope always. RFC 3339, UTC. */
  readonly grantExpiresAt?: string;
  readonly reason?: string;
  readonly assertion: AnswerAssertion;
  readonly at: string;
}
/** How far an answer has come: `pending` until the quorum is complete. */
export interface Answered extends Accepted {
  readonly pending?: { readonly approvals: number; readonly quorum: number };
  readonly grantId?: string;
}
export interface CorrectItem {
  readonly planId: PlanId;
  readonly itemId: ItemId;
  readonly itemDigest: string;
  readonly input: Sealed<JsonObject>;
  readonly roles: readonly string[];
  readonly reason?: string;
  readonly assertion: AnswerAssertion;
  readonly at: string;
}
export interface RevokeSessionGrant { readonly sessionId: SessionId; readonly grantId: string; readonly at: string }
export interface ChangeSettings { readonly settings: TenantSettings; readonly at: string }
/** The secret's version is planner's to count. */
export interface RegisterSubscriber { readonly subscriber: Omit<VetoSubscriber, 'secretVersion'>; readonly at: string }
export interface RegisterWebhook { readonly webhook: Omit<Webhook, 'secretVersion'>; readonly at: string }
export interface RemoveByName { readonly name: string; readonly at: string }
export interface FreezeSome { readonly freezeId: string; readonly target: FreezeTarget; readonly reason: string; readonly at: string }
export interface Unfreeze { readonly freezeId: string; readonly at: string }
export interface CancelPlan { readonly planId: PlanId; readonly at: string }
/** A bundle comes as it was written: policy checks it. */
export interface PushBundle { readonly layer: PolicyLayer; readonly bundle: unknown; readonly at: string }
export interface PushedBundle extends Accepted { readonly digest: string; readonly warnings: readonly string[] }
/** A bundle, or the digest of one that was pushed. */
export interface ActivateBundle { readonly layer: PolicyLayer; readonly bundle?: unknown; readonly digest?: string; readonly at: string }
/** Puts an earlier version in force again, as a new one. Without a version: the one before. */
export interface RollBack { readonly layer: PolicyLayer; readonly version?: number; readonly at: string }
/** Without either: none any more. */
export interface ChooseShadow { readonly bundle?: unknown; readonly digest?: string; readonly at: string }
export interface LintBundle { readonly layer: PolicyLayer; readonly text: string }
/** By the bundle in force, or by the one given. */
export interface Simulate { readonly call: SimulatedCall; readonly bundle?: unknown; readonly at: string }
export interface Explain { readonly planId: PlanId; readonly itemId: ItemId }

/** planner, before an answer of scope session or always: whether judging this very item with the grant would give that verdict. */
export interface ReserveGrant {
  readonly scope: 'session' | 'always';
  readonly planId: PlanId;
  readonly itemId: ItemId;
  readonly decision: 'allow' | 'deny';
  readonly narrow?: GrantNarrow;
  /** Who answers. */
  readonly author: PrincipalId;
  readonly reason?: string;
  readonly expiresAt?: string;
  readonly at: string;
}
/** `reservation` with scope always only; `grantId` names the standing grant. */
export interface GrantChecked { readonly grantId?: string; readonly reservation?: string }
export interface ActivateGrant { readonly grantId: string; readonly reservation: string; readonly at: string }
export interface RevokeGrant { readonly grantId: string; readonly reason?: string; readonly at: string }
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
  'planner.answer': [AnswerItem, Answered];
  'planner.correct': [CorrectItem, Accepted];
  'planner.revoke-session-grant': [RevokeSessionGrant, Accepted];
  'planner.change-settings': [ChangeSettings, Accepted];
  'planner.register-subscriber': [RegisterSubscriber, Accepted];
  'planner.remove-subscriber': [RemoveByName, Accepted];
  'planner.register-webhook': [RegisterWebhook, Accepted];
  'planner.remove-webhook': [RemoveByName, Accepted];
  'planner.freeze': [FreezeSome, Accepted];
  'planner.unfreeze': [Unfreeze, Accepted];
  'planner.cancel': [CancelPlan, Accepted];
  'policy.push-bundle': [PushBundle, PushedBundle];
  'policy.activate-bundle': [ActivateBundle, PushedBundle];
  'policy.roll-back': [RollBack, PushedBundle];
  'policy.choose-shadow': [ChooseShadow, Accepted & { readonly digest?: string }];
  'policy.lint': [LintBundle, LintReport];
  'policy.simulate': [Simulate, Explained];
  'policy.explain': [Explain, Explained];
  'policy.reserve-grant': [ReserveGrant, GrantChecked];
  'policy.activate-grant': [ActivateGrant, Accepted];
  'policy.revoke-grant': [RevokeGrant, Accepted];
  'executor.describe-provider': [DescribeProvider, DescribedProvider];
  'audit.status': [AskAuditStatus, AuditStatus];
  'audit.query-plans': [AuditPlanQuery, AuditPage<AuditPlanRow>];
  'audit.query-items': [AuditItemQuery, AuditPage<AuditItemRow>];
  'audit.query-approvals': [ApprovalQuery, AuditPage<ApprovalRow>];
  'audit.grant-use': [AskGrantUse, GrantUse];
  'audit.preview-grant': [PreviewGrant, GrantPreview];
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
/** The inbox: items that wait for a person, oldest first. */
export interface ApprovalQuery {
  /** Items that a holder of one of these roles or groups may answer. Absent: all. */
  readonly roles?: readonly string[];
  readonly provider?: string; readonly operation?: string; readonly risk?: string; readonly session?: SessionId; readonly agent?: string;
  /** Asked at or before; RFC 3339. */
  readonly askedBefore?: string;
  readonly limit?: number; readonly cursor?: string;
}
export interface ApprovalRow {
  readonly planId: PlanId; readonly itemId: ItemId; readonly sessionId: SessionId; readonly agent?: string; readonly requester: PrincipalId;
  readonly callId: string; readonly provider: string; readonly operation: string; readonly risk: string; readonly description: string;
  readonly decidedBy: string; readonly message?: string; readonly itemDigest: string; readonly inputDigest: string;
  readonly askedAt: string; readonly expiresAt?: string;
  readonly roles?: readonly string[]; readonly quorum: number; readonly approvals: number; readonly sequence: number;
}
/** Of one grant: how many verdicts it decided. */
export interface AskGrantUse { readonly grants: readonly string[] }
export interface GrantUse { readonly uses: readonly { readonly grantId: string; readonly hits: number; readonly lastHitAt?: string }[]; readonly reflects: number }
/** What an always would have allowed. Counts items that a person was asked about in the time before. */
export interface PreviewGrant { readonly origin: GrantOrigin; readonly narrow?: GrantNarrow; readonly from: string; readonly to: string }
export interface GrantPreview {
  readonly profile: string; readonly provider: string; readonly operation: string; readonly narrow?: GrantNarrow;
  readonly from: string; readonly to: string;
  /** Items it covers that were asked about; of those, what people said. */
  readonly asked: number; readonly approved: number; readonly rejected: number; readonly expired: number;
  /** Newest first, at most twenty. */
  readonly examples: readonly { readonly planId: PlanId; readonly itemId: ItemId; readonly answer?: string; readonly proposedAt: string }[];
  /** Items whose arguments are not kept in the tables, so that the condition cannot be compared; counted in none of the above. */
  readonly notComparable: number;
  readonly reflects: number;
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
