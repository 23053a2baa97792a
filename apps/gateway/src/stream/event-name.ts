import type { Evaluated } from '@countersign/contracts';
import type { EventView } from '@countersign/contracts/http';

/** A verdict that asks a person. Whoever shows prompts listens for this name alone. */
export const PERMISSION_REQUEST = 'permission_request';
/** A verdict that asks nobody. */
export const PLAN_READY = 'plan_ready';
/** In the place of an event that this build cannot read; `data` says only its stream and sequence. */
export const UNREADABLE = 'unreadable';

/**
 * What a server-sent event is called (`plan-apply-gate` § Decision semantics: a verdict that asks is a permission request). Every
 * other event is called by its type; `data` is the event in any case. A name says what was written then: whether an item still
 * waits for its answer is said by the plan.
 */
export function eventName({ type, data }: Pick<EventView, 'type' | 'data'>): string {
  if (type !== 'plan.Evaluated') return type;
  return (data as Evaluated).items.some(({ decision }) => decision === 'ask') ? PERMISSION_REQUEST : PLAN_READY;
}
