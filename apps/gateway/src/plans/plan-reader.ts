import { LIMITS, PLAN_ID_PATTERN, planKey, sessionOfPlan, tenantFilter, type AggregateKey, type PlanEvent, type StoredEvent, type TenantId } from '@countersign/contracts';
import type { PlanItemView, PlanView, WhyView } from '@countersign/contracts/http';
import { foldOf, GateError } from '@countersign/kernel';
import { planFold, type ItemState, type PlanState } from '@countersign/domain-plan';
import type { BlobStore, EventLog, Folded } from '@countersign/event-log';
import type { Caller } from '../auth/caller.js';
import type { WaitFor } from '../edge/query.js';
import { ONE_ITEM, WHOLE_PLAN, WHOLE_PLAN_FOR_EVER, bodiesOf, type BodyRules } from './bodies.js';
import type { Goal, PlanWaiter, PlanWatch, Plans } from './plan-waiter.js';
import { itemView, planView } from './view.js';
import { whyOf } from './why.js';

const notFound = (planId: string) => new GateError('NOT_FOUND', `There is no plan ${planId.slice(0, LIMITS.nameChars)}`);

/** A watch that began before the command, and a sequence that the command has written. */
export interface AfterCommand { readonly watch: PlanWatch; readonly goal: Goal; readonly atLeast: number }

/** Shows plans of one tenant. What another tenant has, and what nobody has, look the same. */
export class PlanReader {
  constructor(
    private readonly plans: Plans,
    private readonly waiter: PlanWaiter,
    private readonly log: EventLog,
    private readonly blobs: BlobStore,
  ) {}

  /** As it is now, or as soon as it has come so far. @throws GateError NOT_FOUND */
  async now(caller: Caller, planId: string, goal: WaitFor, signal: AbortSignal): Promise<PlanView> {
    const key = keyOf(caller.tenant, planId);
    if (goal.waitMs === 0) return this.asOf(caller, planId);
    const watch = this.waiter.watch(key, signal);
    try {
      return await this.showReached(caller, watch, goal, await this.plans.fresh(key), planId);
    } finally {
      watch.end();
    }
  }

  /** As it is now. @param atLeast a sequence the plan is known to have. @throws GateError NOT_FOUND */
  async asOf(caller: Caller, planId: string, atLeast?: number): Promise<PlanView> {
    return this.show(caller, planId, await this.folded(caller.tenant, planId, atLeast));
  }

  /** The facts themselves, for whoever has more to ask of them. @throws GateError NOT_FOUND */
  async folded(tenant: TenantId, planId: string, atLeast?: number): Promise<Folded<PlanState>> {
    const key = keyOf(tenant, planId);
    return this.existing(key, await this.plans.get(key, atLeast));
  }

  /** As it is now, to this caller. */
  async show(caller: Caller, planId: string, folded: Folded<PlanState>): Promise<PlanView> {
    return this.shown(caller.tenant, planId, folded, { rules: WHOLE_PLAN, viewer: caller });
  }

  /** For whoever watched before it made the plan move. */
  async afterCommand(caller: Caller, planId: string, wait: AfterCommand): Promise<PlanView> {
    return this.show(caller, planId, await this.reached(caller.tenant, planId, wait));
  }

  /** The same, as facts. */
  async reached(tenant: TenantId, planId: string, { watch, goal, atLeast }: AfterCommand): Promise<Folded<PlanState>> {
    const key = keyOf(tenant, planId);
    return this.existing(key, await watch.reaches(goal, await this.plans.get(key, atLeast)));
  }

  private async showReached(caller: Caller, watch: PlanWatch, goal: Goal, start: Folded<PlanState>, planId: string): Promise<PlanView> {
    return this.show(caller, planId, await this.existing(keyOf(caller.tenant, planId), await watch.reaches(goal, start)));
  }

  /** With the events up to and with `at` only. @throws GateError NOT_FOUND, INVALID_REQUEST when the log does not reach so far */
  async at(tenant: TenantId, planId: string, at: number): Promise<PlanView> {
    const events = (await this.wholeLog(tenant, planId, at)).filter((event) => event.sequence <= at);
    const last = events.at(-1);
    if (!last) throw new GateError('NOT_FOUND', `The plan ${planId} did not exist at ${at}`);
    const folded = { state: foldOf(planFold, events), position: { rev: last.rev, sequence: last.sequence } };
    return this.shown(tenant, planId, folded, { rules: WHOLE_PLAN_FOR_EVER });
  }

  /** That there is such a plan, and such an item, in this tenant. @throws GateError NOT_FOUND */
  async require(tenant: TenantId, planId: string, itemId?: string): Promise<ItemState | undefined> {
    const key = keyOf(tenant, planId);
    const { state } = await this.existing(key, await this.plans.get(key));
    const item = itemId === undefined ? undefined : state.items.get(itemId);
    if (itemId !== undefined && !item) throw new GateError('NOT_FOUND', `The plan ${planId} has no such item`);
    return item;
  }

  /** One item with all its bodies, also those that are too many for a view of the plan. @throws GateError NOT_FOUND */
  async item(caller: Caller, planId: string, itemId: string): Promise<PlanItemView> {
    const item = (await this.require(caller.tenant, planId, itemId))!;
    const { state: plan } = await this.folded(caller.tenant, planId);
    return itemView(item, { plan, bodies: await this.bodies(caller.tenant, [item], ONE_ITEM), viewer: caller });
  }

  async events(tenant: TenantId, planId: string): Promise<readonly StoredEvent<PlanEvent>[]> {
    return this.wholeLog(tenant, planId, 0);
  }

  async why(tenant: TenantId, planId: string): Promise<WhyView> {
    return whyOf(planId, await this.wholeLog(tenant, planId, 0));
  }

  /** "There is none" is said by the leader only. */
  private async existing(key: AggregateKey, folded: Folded<PlanState>): Promise<Folded<PlanState>> {
    const known = folded.state.proposed ? folded : await this.plans.fresh(key);
    if (!known.state.proposed) throw notFound(key.id);
    return known;
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

  private async shown(tenant: TenantId, planId: string, { state, position }: Folded<PlanState>, { rules, viewer }: { rules: BodyRules; viewer?: Caller }): Promise<PlanView> {
    const bodies = await this.bodies(tenant, state.items.values(), rules);
    return planView({ planId, sessionId: sessionOfPlan(planId)!, plan: state, sequence: position.sequence, bodies, viewer });
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
