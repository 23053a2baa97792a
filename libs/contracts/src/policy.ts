import type { ItemId, PlanId, PrincipalId } from './ids.js';
import type { RiskClass, ToolKind } from './tool-schema.js';

export const DECISIONS = ['pending', 'allow', 'ask', 'deny'] as const;
/** What the gate holds of an item (`plan-apply-gate` § Decision semantics). */
export type Decision = (typeof DECISIONS)[number];
/** What policy can say. A failure to evaluate is none of them: the item stays pending. */
export type Verdict = Exclude<Decision, 'pending'>;

export const SCOPES = ['once', 'session', 'always'] as const;
/** How far an answer reaches (`plan-apply-gate` § PlanDecisionScope semantics). */
export type Scope = (typeof SCOPES)[number];

/**
 * All given fields must hold; an empty match matches everything. `provider` and `tool_name` are compared for equality, or,
 * when they hold a `*`, as a glob in which `*` stands for any text. `risk` and `risk_at_least` exclude each other.
 */
export interface PolicyMatch {
  readonly kind?: ToolKind;
  readonly provider?: string;
  /** The operation's name, for both categories. */
  readonly tool_name?: string;
  readonly risk?: RiskClass;
  /** This class or a higher one, in the order of `RISK_CLASSES`. */
  readonly risk_at_least?: RiskClass;
}

export const ASK_TIMEOUTS = ['deny', 'wait'] as const;
export type AskTimeout = (typeof ASK_TIMEOUTS)[number];

/** What a rule demands of the people it asks. Only with `action: ask`. */
export interface AskObligations {
  /** One of these roles or groups, beside `approver`; absent: any approver. */
  readonly roles?: readonly string[];
  /** Approvals by this many different people; one rejection is enough. Default 1. */
  readonly quorum?: number;
  /** `90s`, `30m`, `8h`, `2d`. Default `LIMITS.askExpiryMs`. */
  readonly expires_in?: string;
  /** `deny` (default) or keep waiting: then the ask has no expiry. */
  readonly on_timeout?: AskTimeout;
  readonly require_reason?: boolean;
  /** Separation of duties: whoever proposed the plan, or corrected the item, does not approve it. */
  readonly not_requester?: boolean;
  /** A grant for the session or for always must be narrowed by a condition. */
  readonly narrow_only?: boolean;
}

export interface PolicyRule {
  readonly id: string;
  readonly match: PolicyMatch;
  /** Only in sessions of this profile. A filter; it adds nothing to the rule's rank. */
  readonly profile?: string;
  /** CEL over `input`, `item`, `session`, `agent`, `tenant`, `now`. An error counts as matched for ask and deny, as unmatched for allow. */
  readonly when?: string;
  readonly action: Verdict;
  /** Ids of rules of the same rank that this one goes before. */
  readonly over?: string | readonly string[];
  /** Shown to the approver or, on deny, to the model. */
  readonly message?: string;
  readonly ask?: AskObligations;
}

/** What a session's profile adds. `headless`: nobody is there to answer an interactive call. */
export interface PolicyProfile { readonly headless?: boolean }

/** A tenant's rules as one unit: validated whole, hashed, activated atomically. Guardrails are one too, whose rules ask or deny. */
export interface PolicyBundle {
  readonly rules: readonly PolicyRule[];
  readonly profiles?: Readonly<Record<string, PolicyProfile>>;
}

export const POLICY_LAYERS = ['rules', 'guardrails'] as const;
/** Which of a tenant's two bundles: the authors' rules, or the guardrails that only a tenant's admin changes. */
export type PolicyLayer = (typeof POLICY_LAYERS)[number];

/** Every layer is computed for every item; the first that applies wins (`SEMANTICS` § 2). In this order. */
export const LAYERS = [
  'guardrail_deny', 'session', 'mode', 'headless', 'session_deny', 'policy', 'veto', 'session_allow', 'permission_mode', 'guardrail_ask', 'dont_ask',
] as const;
export type Layer = (typeof LAYERS)[number];

/** What one layer said of an item. A layer that is not recorded was computed and said nothing. */
export interface LayerFinding {
  readonly layer: Layer;
  /** `ask` → `allow` for the layers that lift, `allow` → `ask` for `guardrail_ask`. */
  readonly says: Verdict;
  /** As in `decided_by`. */
  readonly by: string;
  readonly downgraded?: true;
}

/** What an ask demands, fixed when the item is judged and shown with it; part of the item's digest. */
export interface AskTerms {
  /** One of these roles or groups, beside `approver`; absent: any approver. */
  readonly roles?: readonly string[];
  readonly quorum: number;
  readonly onTimeout: AskTimeout;
  readonly requireReason?: true;
  readonly notRequester?: true;
  readonly narrowOnly?: true;
  /** Scopes that can be given. An ask made by a guardrail offers `once` only. */
  readonly scopes: readonly Scope[];
  /** A person corrected the item and policy would now allow it: whoever may approve confirms what they see. */
  readonly confirmation?: true;
}

/**
 * A condition that narrows a grant to less than an operation. `field` is a JSON pointer into the input.
 * `path_prefix` compares whole segments of a normalised path and never matches one with `..`; `host` the host of a URL.
 */
export type GrantNarrow =
  | { readonly kind: 'exact_input'; readonly inputDigest: string }
  | { readonly kind: 'path_prefix'; readonly field: string; readonly prefix: string }
  | { readonly kind: 'host'; readonly field: string; readonly host: string };

export interface GrantOrigin { readonly plan: PlanId; readonly itemId: ItemId }

/** A verdict remembered for the rest of a session, for one operation; never its arguments. */
export interface SessionGrant {
  readonly grantId: string;
  readonly provider: string;
  readonly operation: string;
  readonly decision: 'allow' | 'deny';
  readonly narrow?: GrantNarrow;
  readonly by: PrincipalId;
  readonly reason?: string;
  readonly origin: GrantOrigin;
  readonly at: string;
}

/** A verdict made a standing rule `{profile, provider, tool_name}` of the tenant. */
export interface StandingGrant {
  readonly profile: string;
  readonly provider: string;
  readonly operation: string;
  readonly decision: 'allow' | 'deny';
  readonly narrow?: GrantNarrow;
  readonly author: PrincipalId;
  readonly reason?: string;
  readonly origin: GrantOrigin;
  /** RFC 3339, UTC; absent: until it is revoked. */
  readonly expiresAt?: string;
}

export const PERMISSION_MODES = ['default', 'acceptEdits', 'dontAsk', 'bypassPermissions', 'plan'] as const;
/** How a session treats what would be asked (`SEMANTICS` § 5). Fixed when it is opened, until plan mode can be entered. */
export type PermissionMode = (typeof PERMISSION_MODES)[number];
