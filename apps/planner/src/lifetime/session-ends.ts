import { type AggregateKey, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import { isSettled, isStopped, planFold, type PlanState } from '@countersign/domain-plan';
import { limitReason } from '@countersign/domain-session';
import type { EventLog } from '@countersign/event-log';
import { plansOf } from '../breaker/tallies.js';
import type { PlannerStores } from '../stores.js';
import type { SessionClock } from './session-clock.js';
import type { Sessions } from './sessions.js';

export interface SessionEndsParts {
  readonly log: Pick<EventLog, 'follow'>;
  readonly stores: Pick<PlannerStores, 'sessions'>;
  readonly sessions: Sessions;
  readonly clock: SessionClock;
  readonly now: () => Date;
}

/** Time's part in the life of a session: the end of a final turn, and after any end the closing of every plan that is left. */
export class SessionEnds {
  constructor(private readonly parts: SessionEndsParts) {}

  /** A timer that fires too early or twice finds nothing to do. */
  async fired(key: AggregateKey): Promise<void> {
    const { limit, ended } = (await this.parts.stores.sessions.fresh(key)).state;
    if (ended) return this.parts.sessions.closePlans(key, await this.undecided(key), ended, key.session);
    if (!limit) return;
    const now = this.parts.now();
    if (now.getTime() < Date.parse(limit.endsAt)) return this.parts.clock.arm(key, new Date(limit.endsAt));
    await this.parts.sessions.endBy(key, { by: 'service:planner', reason: limitReason(limit.cause), at: now.toISOString() }, { actor: 'service:planner', correlationId: key.session });
  }

  /** Plans, in the order of their proposal, in which something waits or has not begun. Each is let go as soon as it has come to its end. */
  private async undecided(key: AggregateKey): Promise<string[]> {
    const open = new Map<string, PlanState>();
    for await (const event of this.parts.log.follow('GATE', plansOf(key), 0)) {
      const { id } = event.key;
      const plan = planFold.evolve(open.get(id) ?? planFold.initial, event as StoredEvent<PlanEvent>);
      if (isSettled(plan) || isStopped(plan)) open.delete(id);
      else if (plan.proposed) open.set(id, plan);
    }
    return [...open.keys()];
  }
}
