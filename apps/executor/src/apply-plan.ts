import { setMaxListeners } from 'node:events';
import { LIMITS, type JsonObject, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import { itemsToApply, itemsToSkip, needsStart, recoverAttempts, type ItemState, type PlanState, type Recovery } from '@countersign/domain-plan';
import { causedBy } from '@countersign/event-log';
import { inGroups, TenantShares } from '@countersign/providers';
import type { Delivery, Handled } from '@countersign/transport-jetstream';
import { begin } from './begin.js';
import { readBodies, type BodiesOf } from './bodies.js';
import { Claims, type Claim } from './claims.js';
import { recordEnded } from './record-ended.js';
import { recoverOpen } from './recover.js';
import { runTask } from './run-task.js';
import { recordStopped, skipAfterClosing, type Stopped } from './skip.js';
import { lookAtAll, lookAtSession, planCancelled, whyNot } from './why-not.js';
import type { ExecutorParts, Task, Wanted, Work } from './work.js';

const OUTCOMES_TOGETHER = 256;
/** Until a run of the same message in this process, whose lease ended, has let go of its items. */
const STILL_HELD_MS = 1_000;
/** A quarter of the service's places (`index.ts`). */
const SLOW_PLANS_OF_A_TENANT = 256;
const LATER_MS = 500;

interface Due {
  readonly ready: readonly ItemState[];
  readonly recoveries: readonly Recovery[];
}

/** Applies what the fold of the plan says is allowed and has not begun, each item once. */
export class ApplyPlan {
  private readonly claims = new Claims();
  private readonly shares = new TenantShares({ slowMost: SLOW_PLANS_OF_A_TENANT, slowMs: 1_000 });

  constructor(private readonly parts: ExecutorParts) {}

  observe(event: StoredEvent<PlanEvent>): void {
    this.parts.plans.observe(event);
  }

  async handle(event: StoredEvent<PlanEvent>, delivery: Delivery): Promise<Handled> {
    const leave = this.shares.enter(event.key.tenant);
    if (!leave) return { retryInMs: LATER_MS };
    return await this.apply(event, delivery).finally(leave);
  }

  /** What nobody has begun of a stopped plan comes to its end also when the message that allowed it does not come. */
  async closed(event: StoredEvent<PlanEvent>): Promise<Handled> {
    this.observe(event);
    return await skipAfterClosing(event, this.parts);
  }

  private async apply(event: StoredEvent<PlanEvent>, delivery: Delivery): Promise<Handled> {
    this.observe(event);
    const plan = await this.load(event, delivery);
    const due = dueNow(plan, delivery);
    if (!plan.proposed || (due.ready.length === 0 && due.recoveries.length === 0)) return;
    delivery.working();
    const work = this.workOf(event, delivery, plan.proposed);
    const claim = this.claims.take(event.key, [...due.ready, ...due.recoveries].map(({ itemId }) => itemId));
    try {
      await this.perform(ofClaim(due, claim), plan, work);
    } finally {
      claim.release();
    }
    if (due.recoveries.some(({ itemId }) => !claim.has(itemId))) return { retryInMs: STILL_HELD_MS };
  }

  /** A message that comes again may have been worked on a moment ago: only the leader knows by whom. */
  private async load(event: StoredEvent, delivery: Delivery): Promise<PlanState> {
    const { plans } = this.parts;
    return (delivery.deliveries > 1 ? await plans.fresh(event.key) : await plans.get(event.key, event.sequence)).state;
  }

  private async perform({ ready, recoveries }: Due, plan: PlanState, work: Work): Promise<void> {
    if (ready.length === 0 && recoveries.length === 0) return;
    const recovered = await recoverOpen(recoveries, plan, work, this.parts);
    await recordEnded(recovered.ended, work, this.parts);
    const wanted = [...ready.map((item) => ({ item, doubt: false })), ...recovered.again];
    if (wanted.length === 0) return;
    const bodies = await readBodies(wanted.map(({ item }) => item), work, this.parts);
    const { callable, stopped } = await this.sortOut(wanted, bodies, work);
    await recordStopped(stopped, work, this.parts);
    const { tasks, tooLate } = await begin(callable, bodies, work, this.parts);
    await recordStopped(tooLate.map((one) => ({ ...one, why: planCancelled() })), work, this.parts);
    await this.run(tasks, work);
  }

  /** After what may have taken long and right before anything is begun. Where something needs a start, that proves the plan for the reads beside it too. */
  private async sortOut(wanted: readonly Wanted[], bodies: BodiesOf, work: Work): Promise<{ readonly callable: readonly Wanted[]; readonly stopped: readonly Stopped[] }> {
    const look = await (wanted.some(({ item }) => needsStart(item)) ? lookAtSession : lookAtAll)(work, this.parts);
    const now = this.parts.now();
    const judged = wanted.map((one) => ({ ...one, why: whyNot(one.item, inputIn(bodies, one.item), look, now) }));
    return { callable: judged.filter(({ why }) => !why), stopped: judged.flatMap((one) => (one.why ? [{ ...one, why: one.why }] : [])) };
  }

  /** All at once: what may not run beside another waits for its lock, in plan order. */
  private async run(tasks: readonly Task[], work: Work): Promise<void> {
    await inGroups(
      tasks.map((task) => async () => await runTask(task, work, this.parts)),
      { concurrency: tasks.length, windowMs: LIMITS.groupMs, maxItems: OUTCOMES_TOGETHER },
      async (ended) => await recordEnded(ended, work, this.parts),
    );
  }

  private workOf(event: StoredEvent, delivery: Delivery, proposed: Work['proposed']): Work {
    setMaxListeners(0, delivery.signal); // every call of the plan listens to it
    return {
      key: event.key, proposed, atLeast: event.sequence, meta: causedBy(event, 'executor'), signal: delivery.signal,
      lease: { stream: delivery.stream, sequence: delivery.sequence, executor: this.parts.instance },
    };
  }
}

function inputIn(bodies: BodiesOf, { itemId }: ItemState): JsonObject | undefined {
  const found = bodies.get(itemId);
  return found && 'input' in found ? found.input : undefined;
}

const dueNow = (plan: PlanState, { stream, sequence }: Delivery): Due =>
  ({ ready: [...itemsToApply(plan), ...itemsToSkip(plan)], recoveries: recoverAttempts(plan, { stream, sequence }) });

const ofClaim = (due: Due, claim: Claim): Due => ({
  ready: due.ready.filter(({ itemId }) => claim.has(itemId)),
  recoveries: due.recoveries.filter(({ itemId }) => claim.has(itemId)),
});
