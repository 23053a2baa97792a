import type { Evaluated, EventType } from '@countersign/contracts';
import type { EventView } from '@countersign/contracts/http';

/** A verdict that asks a person. Whoever shows prompts listens for this name alone. */
export const PERMISSION_REQUEST = 'permission_request';
/** A verdict that asks nobody. */
export const PLAN_READY = 'plan_ready';
/** In the place of an event that this build cannot read; `data` says only its stream and sequence. */
export const UNREADABLE = 'unreadable';

/** What people listen for by a name that outlives the types. */
const NAMES: Partial<Record<EventType, string>> = {
  'plan.ItemsVoted': 'item_voted',
  'plan.ItemCorrected': 'item_corrected',
  'session.Granted': 'grant_given',
  'session.GrantRevoked': 'grant_revoked',
  'grant.Activated': 'grant_given',
  'grant.Revoked': 'grant_revoked',
  'session.LimitReached': 'limit_reached',
  'tenant.Frozen': 'frozen',
  'tenant.Unfrozen': 'unfrozen',
};

/**
 * What a server-sent event is called (`plan-apply-gate` § Decision semantics: a verdict that asks is a permission request). An
 * event without a name of its own is called by its type; `data` is the event in any case. A name says what was written then:
 * whether an item still waits for its answer is said by the plan.
 */
export function eventName({ type, data }: Pick<EventView, 'type' | 'data'>): string {
  if (type !== 'plan.Evaluated') return NAMES[type as EventType] ?? type;
  return (data as Evaluated).items.some(({ decision }) => decision === 'ask') ? PERMISSION_REQUEST : PLAN_READY;
}
