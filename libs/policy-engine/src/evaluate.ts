import type { PolicyRule, RiskClass, ToolKind, Verdict } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { CompiledBundle } from './compile-bundle.js';

/** Recorded with every verdict, so that a later engine is told apart. */
export const ENGINE_VERSION = 'core-1';

/** What the core looks at, all from the item's snapshot. The category is not among it. */
export interface JudgedCall {
  readonly kind: ToolKind;
  readonly provider: string;
  /** The operation's name. */
  readonly name: string;
  readonly risk: RiskClass;
}

export interface EvaluationResult {
  readonly decision: Verdict;
  /** `policy:<rule>` or `policy:default`. */
  readonly decidedBy: string;
  /** Id of the rule that won; absent for the default. */
  readonly rule?: string;
  /** A winning ask on a read or interactive item became deny. The caller logs it. */
  readonly downgraded?: true;
  readonly message?: string;
}

/**
 * Judges one item (`plan-apply-gate` § Decision semantics, `SEMANTICS` § 2): the most specific matching rule, else the
 * default. Pure; it never looks at anything but its arguments.
 * @throws GateError INTERNAL for a kind it does not know: no verdict, so the item stays pending
 */
export function evaluate(compiled: CompiledBundle, call: JudgedCall): EvaluationResult {
  const rule = compiled.index.find({ tool_name: call.name, provider: call.provider, risk: call.risk, kind: call.kind });
  if (rule) return byRule(rule, call.kind);
  if (!Object.hasOwn(DEFAULTS, call.kind)) throw new GateError('INTERNAL', `There is no default for items of kind ${String(call.kind)}`);
  return DEFAULTS[call.kind];
}

function byRule(rule: PolicyRule, kind: ToolKind): EvaluationResult {
  const downgraded = rule.action === 'ask' && kind !== 'resource';
  return {
    decision: downgraded ? 'deny' : rule.action,
    decidedBy: `policy:${rule.id}`,
    rule: rule.id,
    ...(downgraded ? { downgraded: true as const } : {}),
    ...(rule.message === undefined ? {} : { message: rule.message }),
  };
}

const DEFAULTS: Readonly<Record<ToolKind, EvaluationResult>> = {
  resource: { decision: 'ask', decidedBy: 'policy:default' },
  data_source: { decision: 'allow', decidedBy: 'policy:default' },
  interactive: { decision: 'allow', decidedBy: 'policy:default' },
};
