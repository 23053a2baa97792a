import { acceptedOf, metaOf } from '@countersign/event-log';
import { planKey, type Accepted, type CancelPlan, type Command } from '@countersign/contracts';
import { closePlan } from '@countersign/domain-plan';
import type { PlannerStores } from '../stores.js';

/** Denies what is undecided of a plan, and lets nothing more of it be started; what runs is not stopped. */
export class Cancellation {
  constructor(private readonly stores: PlannerStores) {}

  /** @throws GateError NOT_FOUND */
  async cancel({ context, planId, at }: Command<CancelPlan>): Promise<Accepted> {
    const closed = { reason: 'cancelled', by: context.principal, at } as const;
    return acceptedOf(await this.stores.plans.transact(
      planKey(context.tenant, planId), ({ state }) => closePlan(state, closed), { meta: metaOf(context, 'person') },
    ));
  }
}
