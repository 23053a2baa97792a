import type { ItemId, PrincipalId } from '../ids.js';
import type { Json, JsonObject } from '../json.js';
import type { AskTerms, GrantNarrow, LayerFinding, Scope, Verdict } from '../policy.js';
import type { PreviewAbsence, RenderTree } from '../render-tree.js';
import type { Sealed } from '../sealed.js';
import type { ProviderEndpoint, ToolSchema } from '../tool-schema.js';

/** An operation as it was when the plan was proposed. Must never be re-resolved against the catalogue. */
export interface OperationSnapshot extends Omit<ToolSchema, 'inputSchema' | 'outputSchema'> {
  readonly provider: string;
  /** SHA-256 of the whole canonical ToolSchema. */
  readonly schemaDigest: string;
  readonly inputSchema: Sealed<JsonObject>;
  readonly outputSchema?: Sealed<JsonObject>;
}

/** A provider as it was when the plan was proposed. */
export interface ProviderSnapshot {
  /** 1, 2, … each registration of a changed catalogue is a new version. */
  readonly version: number;
  readonly digest: string;
  readonly endpoint: ProviderEndpoint;
}

export interface ProposedItem {
  readonly itemId: ItemId;
  /** The caller's own id of the call, unique within the plan. */
  readonly callId: string;
  /** Key of `Proposed.operations`: `<provider>/<operation>`. */
  readonly operation: string;
  readonly input: Sealed<JsonObject>;
}

/** planner. Always revision 1 of its plan. */
export interface Proposed {
  readonly turnId: string;
  readonly requester: PrincipalId;
  /** SHA-256 of the canonical request body; another body under the same key is IDEMPOTENCY_KEY_REUSED. */
  readonly requestDigest: string;
  readonly proposedAt: string;
  /** What the planner saw: sequence of the session's last event in GATE, of the tenant's last event in CATALOG. */
  readonly saw: { readonly session: number; readonly catalogue: number };
  readonly profile: string;
  readonly providers: Readonly<Record<string, ProviderSnapshot>>;
  readonly operations: Readonly<Record<string, OperationSnapshot>>;
  readonly items: readonly ProposedItem[];
  /** Without a verdict by then planner closes what is pending, which can only deny. RFC 3339, UTC. */
  readonly verdictDueAt: string;
}

/** `correction`: how often the item had been corrected when it was previewed; absent: never. A preview of other arguments does not count. */
export type PreviewResult =
  | { readonly itemId: ItemId; readonly correction?: number; readonly tree: Sealed<RenderTree>; readonly fingerprint?: string; readonly tookMs: number }
  | { readonly itemId: ItemId; readonly correction?: number; readonly absent: PreviewAbsence; readonly tookMs: number };

/** preview-fanout. Any subset of the previewable items. */
export interface Previewed {
  readonly items: readonly PreviewResult[];
}

export interface ItemVerdict {
  readonly itemId: ItemId;
  readonly decision: Verdict;
  /** `policy:<rule>`, `policy:default`, … (`SEMANTICS` § 2). */
  readonly decidedBy: string;
  /** A winning ask on a read or interactive item was turned into deny. Never confused with a plain deny. */
  readonly downgraded?: true;
  readonly message?: string;
  /** What each layer said, in their order; a layer that is not named was computed and said nothing. Absent in the oldest events. */
  readonly layers?: readonly LayerFinding[];
  /** Only on ask. Absent in the oldest events: any approver, one of them, scope `once`. */
  readonly terms?: AskTerms;
  /** What the shadow bundle would have said; without effect. */
  readonly shadow?: { readonly decision: Verdict; readonly decidedBy: string };
  /** What an answer must name: SHA-256 over input digest, schema digest, preview digest or absence, and terms. */
  readonly itemDigest: string;
  /** Only on ask; absent where the rule keeps waiting. RFC 3339, UTC; never extended. */
  readonly expiresAt?: string;
}

/** policy. Any subset of items; `round` rises with each evaluation of the same item. */
export interface Evaluated {
  readonly round: number;
  readonly items: readonly ItemVerdict[];
  readonly bundle: { readonly version: number; readonly digest: string };
  /** Absent: the tenant had none. */
  readonly guardrails?: { readonly version: number; readonly digest: string };
  readonly shadow?: { readonly digest: string };
  /** What was asked of the tenant's veto subscribers for this round, under the key (plan, round). */
  readonly vetoes?: readonly VetoAnswer[];
  readonly saw: { readonly session: number; readonly catalogue: number };
  readonly evaluatedAt: string;
  readonly engine: string;
}

/** One subscriber's answer about one item. `failed`: it did not answer in time or not as it must, which denies. */
export interface VetoAnswer {
  readonly subscriber: string;
  readonly itemId: ItemId;
  readonly says: 'pass' | 'deny' | 'failed';
  readonly message?: string;
  readonly tookMs: number;
}

/** Ed25519 over the canonical JSON of `claims`, made by the gateway; verified by planner and kept for ever. */
export interface AnswerAssertion {
  readonly claims: {
    readonly tenant: string;
    readonly plan: string;
    readonly itemId: ItemId;
    readonly itemDigest: string;
    readonly decision: AnswerDecision | 'correct';
    readonly principal: PrincipalId;
    readonly method: 'api-key';
    readonly at: string;
    readonly reason?: string;
    /** Roles and groups of the key that answered, sorted. Absent in the oldest assertions. */
    readonly roles?: readonly string[];
    /** Absent: `once`. */
    readonly scope?: Scope;
    /** With scope session or always. */
    readonly narrow?: GrantNarrow;
    /** With scope always. RFC 3339, UTC. */
    readonly grantExpiresAt?: string;
    /** With decision `correct`: digest of the corrected input. */
    readonly inputDigest?: string;
  };
  readonly keyId: string;
  /** base64url */
  readonly signature: string;
}

export type AnswerDecision = 'approve' | 'reject';

export interface ItemAnswer {
  readonly itemId: ItemId;
  readonly decision: AnswerDecision;
  readonly scope: Scope;
  /** With scope session or always: what is remembered beyond this item. */
  readonly grant?: AnswerGrant;
  readonly principal: PrincipalId;
  /** Roles and groups of the key that answered. Absent in the oldest events. */
  readonly roles?: readonly string[];
  readonly reason?: string;
  readonly answeredAt: string;
  readonly assertion: AnswerAssertion;
}

/** Of scope session the grant's own id; of scope always policy's reservation, which the answer makes good. */
export interface AnswerGrant {
  readonly grantId: string;
  readonly reservation?: string;
  readonly narrow?: GrantNarrow;
  readonly expiresAt?: string;
}

/** One approval of several that the terms demand. The one that completes the quorum is an answer. */
export interface ItemVote extends Omit<ItemAnswer, 'decision' | 'scope' | 'grant'> {
  readonly decision: 'approve';
  /** The item as the person saw it; a vote for an older digest is void. */
  readonly itemDigest: string;
}

/** planner. */
export interface ItemsVoted { readonly votes: readonly ItemVote[] }

/**
 * planner. A person changed the arguments: the item is pending again, with this input, to be previewed and judged by all
 * layers. Votes so far are void; the expiry of the ask runs on.
 */
export interface ItemCorrected {
  readonly itemId: ItemId;
  /** 1, 2, … within the item; at most `LIMITS.correctionsPerItem`. */
  readonly correction: number;
  readonly input: Sealed<JsonObject>;
  /** The item as the person saw it. */
  readonly itemDigest: string;
  readonly principal: PrincipalId;
  readonly roles: readonly string[];
  readonly reason?: string;
  readonly correctedAt: string;
  /** Without a verdict on the corrected item by then planner denies it. RFC 3339, UTC. */
  readonly verdictDueAt: string;
  readonly assertion: AnswerAssertion;
}

/** planner. The first answer of an item wins. */
export interface ItemsAnswered {
  readonly answers: readonly ItemAnswer[];
}

/** planner. Asked items nobody answered in time; they are denied. */
export interface ItemsExpired {
  readonly items: readonly ItemId[];
  readonly at: string;
}

export interface ApplyAttempt {
  readonly itemId: ItemId;
  /** 1, 2, … within the item. */
  readonly attempt: number;
  /** Rises with every attempt on the same plan; a provider that enforces fences refuses a lower one. */
  readonly fence: number;
  /** The same for every attempt of one item. */
  readonly idempotencyKey: string;
  /** Fingerprint of the approved preview, when there was one. */
  readonly expectedFingerprint?: string;
}

/** executor. Written before the first call to a provider; one executor wins. */
export interface ApplyStarted {
  readonly attempts: readonly ApplyAttempt[];
  /** The delivered message that is this attempt's lease; only its redelivery may recover it. */
  readonly lease: { readonly stream: string; readonly sequence: number; readonly executor: string };
  readonly startedAt: string;
}

export const APPLY_OUTCOMES = ['applied', 'failed', 'denied', 'skipped', 'indeterminate'] as const;
export type ApplyOutcome = (typeof APPLY_OUTCOMES)[number];

export const PROVIDER_ERRORS = [
  'invalid_arguments', 'not_found', 'permission_denied', 'execution_failed', 'timeout', 'concurrency_conflict',
  'cancelled', 'process_crashed', 'precondition_failed', 'unknown',
] as const;
export type ProviderErrorCategory = (typeof PROVIDER_ERRORS)[number];

export interface ProviderFailure {
  readonly category: ProviderErrorCategory;
  /** Safe to show to the model: no stack, no secret. */
  readonly message: string;
  readonly retryable: boolean;
}

/** Denied outcomes are never written: the fold already says them. */
export interface ItemOutcome {
  readonly itemId: ItemId;
  readonly attempt: number;
  readonly outcome: Exclude<ApplyOutcome, 'denied'>;
  readonly result?: Sealed<Json>;
  readonly error?: ProviderFailure;
  readonly startedAt: string;
  readonly endedAt: string;
}

/** executor. Any subset of the items it was allowed to start. */
export interface Outcomes {
  readonly outcomes: readonly ItemOutcome[];
}

export const CLOSE_REASONS = ['policy_unavailable', 'cancelled', 'session_ended'] as const;
export type CloseReason = (typeof CLOSE_REASONS)[number];

/**
 * planner. Denies every item that is still pending or asked; changes nothing that is decided. `cancelled` and `session_ended` also stop
 * the plan: what is allowed and has not begun is not started any more, and the executor records it as skipped.
 */
export interface Closed {
  readonly reason: CloseReason;
  readonly by: string;
  readonly at: string;
}

export type PlanEvent =
  | { readonly type: 'plan.Proposed'; readonly data: Proposed }
  | { readonly type: 'plan.Previewed'; readonly data: Previewed }
  | { readonly type: 'plan.Evaluated'; readonly data: Evaluated }
  | { readonly type: 'plan.ItemsAnswered'; readonly data: ItemsAnswered }
  | { readonly type: 'plan.ItemsVoted'; readonly data: ItemsVoted }
  | { readonly type: 'plan.ItemCorrected'; readonly data: ItemCorrected }
  | { readonly type: 'plan.ItemsExpired'; readonly data: ItemsExpired }
  | { readonly type: 'plan.ApplyStarted'; readonly data: ApplyStarted }
  | { readonly type: 'plan.Outcomes'; readonly data: Outcomes }
  | { readonly type: 'plan.Closed'; readonly data: Closed };
