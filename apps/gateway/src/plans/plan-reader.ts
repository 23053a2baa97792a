import { LIMITS, PLAN_ID_PATTERN, planKey, sessionOfPlan, tenantFilter, type AggregateKey, type PlanEvent, type StoredEvent, type TenantId } from '@countersign/contracts';
import type { PlanItemView, PlanView, WhyView } from '@countersign/contracts/http';
import { foldOf, GateError } from '@countersign/kernel';
import { planFold, type ItemState, type PlanState } from '@countersign/domain-plan';
import type { BlobStore, EventLog, Folded } from '@countersign/event-log';
import type { WaitFor } from '../edge/query.js';
import { ONE_ITEM, WHOLE_PLAN, WHOLE_PLAN_FOR_EVER, bodiesOf, type BodyRules } from './bodies.js';
import type { PlanWaiter, PlanWatch, Plans } from './plan-waiter.js';
import { itemView, planView } from './view.js';
import { whyOf } from './why.js';

const notFound = (planId: string) => new GateError('NOT_FOUND', `There is no plan ${planId.slice(0, LIMITS.nameChars)}`);

/** Shows plans of one tenant. What another tenant has, and what nobody has, look the same. */
export class PlanReader {
  constructor(
    private readonly plans: Plans,
    private readonly waiter: PlanWaiter,
    private readonly log: EventLog,
    private readonly blobs: BlobStore,
  ) {}

  /** As it is now, or as soon as it has come so far. @throws GateError NOT_FOUND */
  async now(tenant: TenantId, planId: string, goal: WaitFor, signal: AbortSignal): Promise<PlanView> {
    const key = keyOf(tenant, planId);
    if (goal.waitMs === 0) return this.asOf(tenant, planId);
    const watch = this.waiter.watch(key, signal);
    try {
      return await this.reached(tenant, watch, goal, await this.plans.fresh(key), planId);
    } finally {
      watch.end();
    }
  }

  /** As it is now. @param atLeast a sequence the plan is known to have. @throws GateError NOT_FOUND */
  async asOf(tenant: TenantId, planId: string, atLeast?: number): Promise<PlanView> {
    const key = keyOf(tenant, planId);
    return this.shown(tenant, await this.existing(key, await this.plans.get(key, atLeast)), WHOLE_PLAN);
  }

  /** For whoever watched before it made the plan move. */
  async afterCommand(tenant: TenantId, planId: string, wait: { watch: PlanWatch; goal: WaitFor; atLeast: number }): Promise<PlanView> {
    const start = await this.plans.get(keyOf(tenant, planId), wait.atLeast);
    return this.reached(tenant, wait.watch, wait.goal, start, planId);
  }

  private async reached(tenant: TenantId, watch: PlanWatch, goal: WaitFor, start: Folded<PlanState>, planId: string): Promise<PlanView> {
    const folded = await watch.reaches(goal, start);
    return this.shown(tenant, await this.existing(keyOf(tenant, planId), folded), WHOLE_PLAN);
  }

  /** With the events up to and with `at` only. @throws GateError NOT_FOUND, INVALID_REQUEST when the log does not reach so far */
  async at(tenant: TenantId, planId: string, at: number): Promise<PlanView> {
    const events = (await this.wholeLog(tenant, planId, at)).filter((event) => event.sequence <= at);
    const last = events.at(-1);
    if (!last) throw new GateError('NOT_FOUND', `The plan ${planId} did not exist at ${at}`);
    const folded = { state: foldOf(planFold, events), position: { rev: last.rev, sequence: last.sequence } };
    return this.shown(tenant, { planId, folded }, WHOLE_PLAN_FOR_EVER);
  }

  /** That there is such a plan, and such an item, in this tenant. @throws GateError NOT_FOUND */
  async require(tenant: TenantId, planId: string, itemId?: string): Promise<ItemState | undefined> {
    const key = keyOf(tenant, planId);
    const { folded } = await this.existing(key, await this.plans.get(key));
    const item = itemId === undefined ? undefined : folded.state.items.get(itemId);
    if (itemId !== undefined && !item) throw new GateError('NOT_FOUND', `The plan ${planId} has no such item`);
    return item;
  }

  /** One item with all its bodies, also those that are too many for a view of the plan. @throws GateError NOT_FOUND */
  async item(tenant: TenantId, planId: string, itemId: string): Promise<PlanItemView> {
    const item = (await this.require(tenant, planId, itemId))!;
    return itemView(item, await this.bodies(tenant, [item], ONE_ITEM));
  }

  async events(tenant: TenantId, planId: string): Promise<readonly StoredEvent<PlanEvent>[]> {
    return this.wholeLog(tenant, planId, 0);
  }

  async why(tenant: TenantId, planId: string): Promise<WhyView> {
    return whyOf(planId, await this.wholeLog(tenant, planId, 0));
  }

  /** "There is none" is said by the leader only. */
  private async existing(key: AggregateKey, folded: Folded<PlanState>): Promise<{ planId: string; folded: Folded<PlanState> }> {
    const known = folded.state.proposed ? folded : await this.plans.fresh(key);
    if (!known.state.proposed) throw notFound(key.id);
    return { planId: key.id, folded: known };
  }

  /** As the leader has it. @param reaching a position in GATE that must have been written by now */
  private async wholeLog(tenant: TenantId, planId: string, reaching: number): Promise<readonly StoredEvent<PlanEvent>[]> {
    const key = keyOf(tenant, planId);
    const end = await this.plans.fresh(key);
    if (end.position.rev === 0) throw notFound(planId);
    if (reaching > end.position.sequence) await this.refuseFuture(tenant, reaching);
    const { events, position } = await this.log.load<PlanEvent>(key);
    if (position.sequence < end.position.sequence) throw new GateError('UNAVAILABLE', 'The log does not show the whole plan yet; try again');
    return events;
  }

  /** A view at a position that is still to come would not be the same later. */
  private async refuseFuture(tenant: TenantId, at: number): Promise<void> {
    const last = await this.log.lastSequence('GATE', tenantFilter(tenant));
    if (at > last) throw new GateError('INVALID_REQUEST', `?at must not lie beyond the tenant's last event, ${last}`);
  }

  private async shown(tenant: TenantId, plan: { planId: string; folded: Folded<PlanState> }, rules: BodyRules): Promise<PlanView> {
    const { planId, folded: { state, position } } = plan;
    return planView(planId, sessionOfPlan(planId)!, state, position.sequence, await this.bodies(tenant, state.items.values(), rules));
  }

  private bodies(tenant: TenantId, items: Iterable<ItemState>, rules: BodyRules) {
    return bodiesOf(items, { blobs: this.blobs, tenant }, rules);
  }
}

/** @throws GateError NOT_FOUND for what cannot be a plan's id; such text never reaches a subject */
export function keyOf(tenant: TenantId, planId: string): AggregateKey {
  if (!PLAN_ID_PATTERN.test(planId)) throw notFound(planId);
  return planKey(tenant, planId);
}
