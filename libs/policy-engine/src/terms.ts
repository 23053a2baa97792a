import { SCOPES, type AskTerms } from '@countersign/contracts';
import type { Obligations } from './compile-rule.js';

/** What an ask demands, as it is fixed and shown. */
export function termsOf({ roles, quorum, onTimeout, requireReason, notRequester, narrowOnly }: Obligations, onceOnly: boolean): AskTerms {
  return {
    ...(roles === undefined ? {} : { roles }), quorum, onTimeout,
    ...(requireReason ? { requireReason: true as const } : {}),
    ...(notRequester ? { notRequester: true as const } : {}),
    ...(narrowOnly ? { narrowOnly: true as const } : {}),
    scopes: onceOnly ? ['once'] : SCOPES,
  };
}

/**
 * Of a rule's ask that a guardrail asks about as well: whatever is stricter. Where no role is named by both, the guardrail's
 * are, since no rule outranks it.
 */
export function stricter(guardrail: Obligations, rule: Obligations): Obligations {
  const both = guardrail.roles?.filter((role) => rule.roles?.includes(role)) ?? [];
  const roles = both.length > 0 ? both : guardrail.roles ?? rule.roles;
  const expiries = [guardrail.expiresInMs, rule.expiresInMs].filter((ms) => ms !== undefined);
  return {
    ...(roles === undefined ? {} : { roles }),
    quorum: Math.max(guardrail.quorum, rule.quorum),
    onTimeout: guardrail.onTimeout === 'deny' || rule.onTimeout === 'deny' ? 'deny' : 'wait',
    requireReason: guardrail.requireReason || rule.requireReason,
    notRequester: guardrail.notRequester || rule.notRequester,
    narrowOnly: guardrail.narrowOnly || rule.narrowOnly,
    ...(expiries.length === 0 ? {} : { expiresInMs: Math.min(...expiries) }),
  };
}
