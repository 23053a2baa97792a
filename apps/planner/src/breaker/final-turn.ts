import { sessionKey, type AggregateKey, type EventMeta } from '@countersign/contracts';
import { isResolved } from '@countersign/domain-plan';
import { limitReason } from '@countersign/domain-session';
import type { EventLog } from '@countersign/event-log';
import type { Sessions } from '../lifetime/sessions.js';
import type { PlannerStores } from '../stores.js';

/** The end of a session that has come to its limit: with the plan that it proposed after that, once all of it is denied. */
export class FinalTurn {
  constructor(
    private readonly log: Pick<EventLog, 'load'>,
    private readonly stores: Pick<PlannerStores, 'plans' | 'sessions'>,
    private readonly sessions: Sessions,
    private readonly now: () => Date,
  ) {}

  /** A plan that was proposed before the trip ends nothing, whenever it is judged. */
  async judged(plan: AggregateKey, meta: EventMeta): Promise<void> {
    const { state } = await this.stores.plans.fresh(plan);
    if (!state.proposed || ![...state.items.values()].every(isResolved)) return;
    const key = sessionKey(plan.tenant, plan.session);
    const { events } = await this.log.load(key);
    const trip = events.find((event) => event.type === 'session.LimitReached');
    if (trip?.type !== 'session.LimitReached' || state.proposed.saw.session < trip.sequence) return;
    await this.sessions.endBy(key, { by: 'service:planner', reason: limitReason(trip.data.cause), at: this.now().toISOString() }, meta);
  }
}
