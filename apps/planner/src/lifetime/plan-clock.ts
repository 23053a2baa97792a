import { LIMITS, planKey, sessionKey, type AggregateKey, type Closed, type Command } from '@countersign/contracts';
import { closePlan, expireItems, nextStep, type NextStep, type PlanState } from '@countersign/domain-plan';
import type { Folded, Timers } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { Cause, Grants } from '../answers/grants.js';
import type { PlannerStores } from '../stores.js';

/** The broker's clock and ours may differ: a timer set for a moment that is past there would fire at once, over and over. */
const LEAST_WAIT_MS = 250;
/** How far before its timer a plan must be durable, for clocks that differ. */
const AHEAD_MS = 10_000;
/** Expiry, then a missing verdict, then what is left to wait for. */
const MOST_STEPS = 3;

/** What an answer grants and a crash may have left out is looked for after this, and again as long as it is missing. */
const MAKE_GOOD_MS = 5_000;

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
    private readonly grants: Grants,
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

  /** For something of a plan that is about to be appended: the timer is durable before it, and still due for whatever the plan waits for anyway. */
  async comeBackAt(key: AggregateKey, plan: PlanState, at: Date): Promise<void> {
    const now = this.now();
    const step = nextStep(plan, now);
    await this.arm(key, laterOf(step.kind === 'wait' && step.until < at ? step.until : at, now));
  }

  comeBackSoon(key: AggregateKey, plan: PlanState): Promise<void> {
    return this.comeBackAt(key, plan, new Date(this.now().getTime() + MAKE_GOOD_MS));
  }

  /** Does what is due, makes good what an answer grants, and sets the timer for what comes next. */
  async advance(key: AggregateKey, cause: Cause): Promise<void> {
    const { plan, next } = await this.doDue(key, cause);
    const good = await this.grants.makeGood(key, plan, cause);
    const again = good ? undefined : new Date(this.now().getTime() + MAKE_GOOD_MS);
    const until = next && again ? new Date(Math.min(next.getTime(), again.getTime())) : next ?? again;
    if (until) await this.arm(key, laterOf(until, this.now()));
  }

  /** @returns what time asks for next, if anything */
  private async doDue(key: AggregateKey, cause: Cause): Promise<{ readonly plan: PlanState; readonly next?: Date }> {
    let folded: Folded<PlanState> = await this.stores.plans.fresh(key);
    for (let steps = 0; steps < MOST_STEPS; steps += 1) {
      const now = this.now();
      const step = nextStep(folded.state, now);
      if (step.kind === 'nothing') return { plan: folded.state };
      if (await this.sessionEnded(key)) {
        await this.close(key, { reason: 'session_ended', by: 'service:planner', at: now.toISOString() }, cause);
        return { plan: folded.state };
      }
      if (step.kind === 'wait') return { plan: folded.state, next: step.until };
      await this.perform(key, step, now, cause);
      folded = await this.stores.plans.get(key);
    }
    return { plan: folded.state, next: this.now() };
  }

  /** Denies what is undecided, and for a cancelled plan or an ended session stops what has not begun; with nothing left to close it does nothing. */
  async close(key: AggregateKey, closed: Closed, cause: Cause): Promise<void> {
    await this.stores.plans.transact(key, ({ state }) => closePlan(state, closed), { meta: { actor: 'service:planner', ...cause } });
  }

  /** Before an answer: the end of the session is the plan's, though nobody may have written that down yet. */
  async closeIfEnded(key: AggregateKey, { context, at }: Command<{ readonly at: string }>): Promise<void> {
    if (!await this.sessionEnded(key)) return;
    await this.close(key, { reason: 'session_ended', by: 'service:planner', at }, { correlationId: context.correlationId });
  }

  private async sessionEnded(key: AggregateKey): Promise<boolean> {
    return (await this.stores.sessions.fresh(sessionKey(key.tenant, key.session))).state.ended !== undefined;
  }

  private async perform(key: AggregateKey, step: Extract<NextStep, { kind: 'expire' | 'close' }>, now: Date, cause: Cause): Promise<void> {
    const at = now.toISOString();
    if (step.kind === 'close') return this.close(key, { reason: 'policy_unavailable', by: 'service:planner', at }, cause);
    await this.stores.plans.transact(key, ({ state }) => expireItems(state, { at }), { meta: { actor: 'service:planner', ...cause } });
  }
}

const laterOf = (until: Date, now: Date): Date => new Date(Math.max(until.getTime(), now.getTime() + LEAST_WAIT_MS));
