import type { RiskClass, ToolKind } from './tool-schema.js';

export const DECISIONS = ['pending', 'allow', 'ask', 'deny'] as const;
/** What the gate holds of an item (`plan-apply-gate` § Decision semantics). */
export type Decision = (typeof DECISIONS)[number];
/** What policy can say. A failure to evaluate is none of them: the item stays pending. */
export type Verdict = Exclude<Decision, 'pending'>;

/** All given fields must hold, by exact equality; an empty match matches everything. */
export interface PolicyMatch {
  readonly kind?: ToolKind;
  readonly provider?: string;
  /** The operation's name, for both categories. */
  readonly tool_name?: string;
  readonly risk?: RiskClass;
}

export interface PolicyRule {
  readonly id: string;
  readonly match: PolicyMatch;
  readonly action: Verdict;
  /** Shown to the approver or, on deny, to the model. */
  readonly message?: string;
}

/** A tenant's rules as one unit: validated whole, hashed, activated atomically. */
export interface PolicyBundle {
  readonly rules: readonly PolicyRule[];
}
