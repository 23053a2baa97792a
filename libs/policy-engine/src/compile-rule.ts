import type { AskTimeout, PolicyLayer, PolicyRule } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { compileCondition, type Condition } from './cel/condition.js';
import { durationMs } from './duration.js';
import { refused } from './validate-bundle.js';

/** What a rule's ask demands, ready to become terms. */
export interface Obligations {
  readonly roles?: readonly string[];
  readonly quorum: number;
  readonly onTimeout: AskTimeout;
  readonly requireReason: boolean;
  readonly notRequester: boolean;
  readonly narrowOnly: boolean;
  /** Absent: the default expiry, or none where it waits. */
  readonly expiresInMs?: number;
}

export interface CompiledRule {
  readonly rule: PolicyRule;
  /** `policy:<rule>` or `guardrail:<rule>`. */
  readonly by: string;
  /** Place in the order of the whole bundle; the lower one wins. */
  readonly order: number;
  readonly condition?: Condition;
  readonly obligations: Obligations;
}

const NOTHING_DEMANDED: Obligations = { quorum: 1, onTimeout: 'deny', requireReason: false, notRequester: false, narrowOnly: false };
export const DEFAULT_OBLIGATIONS = NOTHING_DEMANDED;

/**
 * @param index the rule's place in the bundle, for the refusal
 * @throws GateError POLICY_INVALID with the path of a condition that is not CEL, or beyond its bounds
 */
export function compileRule(rule: PolicyRule, layer: PolicyLayer, order: number, index: number): CompiledRule {
  return {
    rule, order,
    by: `${layer === 'rules' ? 'policy' : 'guardrail'}:${rule.id}`,
    ...(rule.when === undefined ? {} : { condition: conditionOf(rule.when, index) }),
    obligations: rule.ask ? obligationsOf(rule.ask) : NOTHING_DEMANDED,
  };
}

function conditionOf(when: string, index: number): Condition {
  try {
    return compileCondition(when);
  } catch (error) {
    if (error instanceof GateError) throw refused(`/rules/${index}/when`, error.message);
    throw error;
  }
}

function obligationsOf(ask: NonNullable<PolicyRule['ask']>): Obligations {
  const onTimeout = ask.on_timeout ?? 'deny';
  return {
    ...(ask.roles === undefined ? {} : { roles: ask.roles }),
    quorum: ask.quorum ?? 1, onTimeout,
    requireReason: ask.require_reason ?? false, notRequester: ask.not_requester ?? false, narrowOnly: ask.narrow_only ?? false,
    ...(ask.expires_in === undefined || onTimeout === 'wait' ? {} : { expiresInMs: durationMs(ask.expires_in) }),
  };
}
