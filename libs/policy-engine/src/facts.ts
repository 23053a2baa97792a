import type {
  AskTerms, Category, Json, LayerFinding, LimitCause, PermissionMode, RiskClass, SessionGrant, StandingGrant, ToolKind, Verdict, VetoAnswer,
} from '@countersign/contracts';

/**
 * Everything one item is judged by besides the compiled rules. All of it comes from the log, so that judging again gives
 * the same; nothing here may be looked up while judging.
 */
export interface ItemFacts {
  readonly item: {
    readonly kind: ToolKind;
    readonly provider: string;
    /** The operation's name. */
    readonly name: string;
    readonly risk: RiskClass;
    readonly category: Category;
    readonly edit?: boolean;
    readonly planSafe?: boolean;
  };
  /** As it stands now, after corrections. Undefined: not at hand, which is an error of every condition that looks at it. */
  readonly input: Json | undefined;
  readonly inputDigest: string;
  readonly session: {
    readonly id: string;
    readonly agent: string;
    readonly profile: string;
    readonly kind: 'chat' | 'run' | 'listener';
    readonly permissionMode: PermissionMode;
    readonly openedBy: string;
    readonly openedAt: string;
    readonly ended: boolean;
    readonly limitReached?: LimitCause;
    readonly grants: readonly SessionGrant[];
  };
  readonly tenant: { readonly id: string; readonly bypassPermissions: boolean };
  /** A freeze that covers the item. */
  readonly frozenBy?: string;
  /** Answers about this item. Undefined: not asked (yet). */
  readonly vetoes?: readonly VetoAnswer[];
  /** Time of the evaluation. RFC 3339, UTC. */
  readonly now: string;
}

/** A standing grant in force, and since when. */
export interface StandingRule {
  readonly grantId: string;
  readonly grant: StandingGrant;
  readonly activatedAt: string;
}

export interface LayeredVerdict {
  readonly decision: Verdict;
  readonly decidedBy: string;
  /** Id of the rule that won, where one did. */
  readonly rule?: string;
  readonly downgraded?: true;
  readonly message?: string;
  /** Only on ask. `confirmation` is not the engine's to say. */
  readonly terms?: AskTerms;
  /** For an ask with an expiry: how long from the evaluation. */
  readonly expiresInMs?: number;
  readonly layers: readonly LayerFinding[];
}
