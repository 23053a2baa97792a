import { LIMITS, planKey, sessionKey, type AggregateKey, type Closed, type EventMeta } from '@countersign/contracts';
import { closePlan, expireItems, nextStep, type NextStep, type PlanState } from '@countersign/domain-plan';
import type { Folded, Timers } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { PlannerStores } from '../stores.js';

/** The broker's clock and ours may differ: a timer set for a moment that is past there would fire at once, over and over. */
const LEAST_WAIT_MS = 250;
/** How far before its timer a plan must be durable, for clocks that differ. */
const AHEAD_MS = 10_000;
/** Expiry, then a missing verdict, then what is left to wait for. */
const MOST_STEPS = 3;

export type Cause = Pick<EventMeta, 'correlationId' | 'causationId'>;

/**
 * Time's part in the life of a plan. There is one durable timer a plan, `plan.<tenant>.<planId>`, set before the plan is
 * proposed and moved to whatever the plan waits for next; nothing else remembers it. A timer that fires too early or
 * twice finds nothing to do.
 */
export class PlanClock {
  constructor(
    private readonly stores: Pick<PlannerStores, 'plans' | 'sessions'>,
    private readonly timers: Timers,
    private readonly now: () => Date,
  ) {}

  /**
   * For a plan that is about to be proposed: its timer is durable before the plan is. If the append took so long that the timer
   * may have fired on nothing, `keptAhead` sets it again.
   */
  async armAhead(key: AggregateKey): Promise<{ keptAhead(): Promise<void> }> {
    const due = this.now().getTime() + LIMITS.verdictMs;
    await this.arm(key, new Date(due));
    return {
      keptAhead: async () => {
        if (this.now().getTime() > due - AHEAD_MS) await this.arm(key, laterOf(new Date(due), this.now()));
      },
    };
  }

  private arm(key: AggregateKey, at: Date): Promise<void> {
    return this.timers.set(`plan.${key.tenant}.${key.id}`, at);
  }

  /** @throws GateError INTERNAL for a name that is not a plan's */
  async fired(name: string): Promise<void> {
    const [kind, tenant, plan, ...more] = name.split('.');
    if (kind !== 'plan' || !tenant || !plan || more.length > 0) throw new GateError('INTERNAL', `There is no timer of the name ${name}`);
    return this.advance(planKey(tenant, plan), { correlationId: plan });
  }

  /** Does what is due, and sets the timer for what comes next. */
  async advance(key: AggregateKey, cause: Cause): Promise<void> {
    let folded: Folded<PlanState> = await this.stores.plans.fresh(key);
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const now = this.now();
      const step = nextStep(folded.state, now);
      if (step.kind === 'nothing') return;
      if (await this.sessionEnded(key)) return this.close(key, { reason: 'session_ended', by: 'service:planner', at: now.toISOString() }, cause);
      if (step.kind === 'wait') return this.arm(key, laterOf(step.until, now));
      await this.perform(key, step, now, cause);
      folded = await this.stores.plans.get(key);
    }
    await this.arm(key, laterOf(this.now(), this.now()));
  }

  /** Denies what is undecided, and for a cancelled plan or an ended session stops what has not begun; with nothing left to close it does nothing. */
  async close(key: AggregateKey, closed: Closed, cause: Cause): Promise<void> {
    await this.stores.plans.transact(key, ({ state }) => closePlan(state, closed), { meta: { actor: 'service:planner', ...cause } });
  }

  async sessionEnded(key: AggregateKey): Promise<boolean> {
    return (await this.stores.sessions.fresh(sessionKey(key.tenant, key.session))).state.ended !== undefined;
  }

  private async perform(key: AggregateKey, step: Extract<NextStep, { kind: 'expire' | 'close' }>, now: Date, cause: Cause): Promise<void> {
    const at = now.toISOString();
    if (step.kind === 'close') return this.close(key, { reason: 'policy_unavailable', by: 'service:planner', at }, cause);
    await this.stores.plans.transact(key, ({ state }) => expireItems(state, { at }), { meta: { actor: 'service:planner', ...cause } });
  }
}

const laterOf = (until: Date, now: Date): Date => new Date(Math.max(until.getTime(), now.getTime() + LEAST_WAIT_MS));
