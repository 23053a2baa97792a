import type { JsonObject } from './json.js';
import type { AskTerms, LayerFinding, PermissionMode, Verdict } from './policy.js';
import type { Category, RiskClass, ToolKind } from './tool-schema.js';

/** A call that nobody made, to be judged as if it were. */
export interface SimulatedCall {
  readonly provider: string;
  readonly operation: string;
  /** The registered operation's where absent; `simulate` then needs it to be registered. */
  readonly kind?: ToolKind;
  readonly risk?: RiskClass;
  readonly category?: Category;
  readonly input?: JsonObject;
  readonly profile?: string;
  readonly agent?: string;
  readonly permissionMode?: PermissionMode;
}

/** One rule that matched, in the order of rank; the first one won its layer. */
export interface MatchedRule {
  readonly rule: string;
  readonly layer: 'rules' | 'guardrails' | 'standing';
  readonly action: Verdict;
  /** Why it stands where it stands, in words: which fields it gives, exact or by pattern, and whether it has a condition. */
  readonly rank: string;
  /** What its condition came to; absent where it has none. */
  readonly when?: 'true' | 'false' | 'error';
  readonly won: boolean;
}

/** Why one item is judged as it is. */
export interface Explained {
  readonly decision: Verdict;
  readonly decidedBy: string;
  readonly rule?: string;
  readonly downgraded?: true;
  readonly message?: string;
  readonly terms?: AskTerms;
  readonly layers: readonly LayerFinding[];
  readonly matched: readonly MatchedRule[];
  /** In one sentence, why the winner won. */
  readonly why: string;
  readonly bundle: { readonly version: number; readonly digest: string };
  readonly guardrails?: { readonly version: number; readonly digest: string };
}

export const LINT_CODES = ['unreadable', 'invalid', 'unknown_field', 'conflict', 'bad_expression', 'empty_match', 'shadowed', 'matches_nothing', 'pointless_ask', 'unused_profile'] as const;
export type LintCode = (typeof LINT_CODES)[number];

export interface LintFinding {
  /** An error refuses the bundle. */
  readonly severity: 'error' | 'warning';
  readonly code: LintCode;
  readonly message: string;
  readonly suggestion: string;
  /** 1-based, in the text. */
  readonly line: number;
  readonly column: number;
  /** Ids of the rules it is about. */
  readonly rules?: readonly string[];
  /** JSON pointer. */
  readonly path?: string;
}
export interface LintReport { readonly findings: readonly LintFinding[]; readonly rules: number; readonly digest?: string }
