import {
  grantKey, planKey, sessionKey, type Accepted, type ActivateGrant, type Command, type GrantChecked, type GrantEvent, type ItemAnswer,
  type PlanEvent, type ReserveGrant, type RevokeGrant, type SessionEvent, type StoredEvent, type TenantId,
} from '@countersign/contracts';
import { activate, grantIdOf, requireRoomToReserve, reserve, revokeGrant, type GrantState } from '@countersign/domain-grant';
import type { ItemState, PlanState } from '@countersign/domain-plan';
import type { SessionState } from '@countersign/domain-session';
import { acceptedOf, causedBy, metaOf, type AggregateStore, type BlobStore } from '@countersign/event-log';
import { GateError, digestOf, isGateError } from '@countersign/kernel';
import { inputOrNone, type PolicyView } from '@countersign/policy-view';
import type { ServiceLogger } from '@countersign/service-host';
import { requireEffect, requireStandingAllowed, standingGrantOf, type GrantProposal } from './requirements.js';

export interface GrantStores {
  readonly grants: AggregateStore<GrantState, GrantEvent>;
  readonly plans: AggregateStore<PlanState, PlanEvent>;
  readonly sessions: AggregateStore<SessionState, SessionEvent>;
  readonly blobs: BlobStore;
}

/** Standing grants: reserved before the answer that gives them, made good by it, and revoked (`SEMANTICS` § 3, always). */
export class Grants {
  constructor(
    private readonly stores: GrantStores,
    private readonly view: PolicyView,
    private readonly logger: ServiceLogger,
    private readonly now: () => Date,
  ) {}

  /**
   * Whether judging this very item with the grant would give that verdict; of scope always it is reserved as well. The item is untouched.
   * @throws GateError NOT_FOUND, POLICY_STORE_READ_ONLY, STANDING_RULE_CONFLICT, NARROW_INVALID, GRANT_INEFFECTIVE, INVALID_REQUEST,
   *   AGGREGATE_TOO_LONG
   */
  async reserve(command: Command<ReserveGrant>): Promise<GrantChecked> {
    const { context, scope, at } = command;
    const proposal = await this.proposalOf(command);
    if (scope === 'always') requireStandingAllowed(proposal);
    requireEffect(proposal);
    if (scope === 'session') return {};
    const grant = standingGrantOf(proposal);
    const grantId = grantIdOf(grant);
    const reservation = digestOf({ grantId, ...grant.origin, author: grant.author, decision: grant.decision, expiresAt: grant.expiresAt ?? null, at }).slice(0, 24);
    await this.stores.grants.transact(grantKey(context.tenant, grantId), ({ state, position }) => {
      const decision = reserve(state, { reservation, grant, at });
      if (decision.event) requireRoomToReserve(position.rev);
      return decision;
    }, { meta: metaOf(context, 'person') });
    return { grantId, reservation };
  }

  /** Once the answer that cites the reservation is durable. @throws GateError RESERVATION_LAPSED */
  async activate({ context, grantId, reservation, at }: Command<ActivateGrant>): Promise<Accepted> {
    return acceptedOf(await this.stores.grants.transact(grantKey(context.tenant, grantId), ({ state }) => activate(state, { reservation, at }), { meta: metaOf(context, 'person') }));
  }

  /** Whoever answered was told by planner; if planner died before, its answer is made good here. What has lapsed stays so. */
  async answered(event: StoredEvent<PlanEvent>): Promise<void> {
    if (event.type !== 'plan.ItemsAnswered') return;
    for (const { itemId, grant, answeredAt } of event.data.answers.filter(givesStanding)) {
      try {
        await this.stores.grants.transact(
          grantKey(event.key.tenant, grant.grantId),
          ({ state }) => activate(state, { reservation: grant.reservation, at: answeredAt }),
          { meta: causedBy(event, 'policy') },
        );
      } catch (error) {
        if (!isGateError(error, 'RESERVATION_LAPSED')) throw error;
        this.logger.warn({ tenant: event.key.tenant, plan: event.key.id, item: itemId, grant: grant.grantId }, 'the reservation that an answer cites has lapsed or was revoked');
      }
    }
  }

  /** From the next evaluation on. @throws GateError NOT_FOUND */
  async revoke({ context, grantId, reason, at }: Command<RevokeGrant>): Promise<Accepted> {
    const revoked = { by: context.principal, ...(reason === undefined ? {} : { reason }), at };
    return acceptedOf(await this.stores.grants.transact(grantKey(context.tenant, grantId), ({ state }) => revokeGrant(state, revoked), { meta: metaOf(context, 'person') }));
  }

  private async proposalOf(command: Command<ReserveGrant>): Promise<GrantProposal> {
    const { tenant } = command.context;
    const key = planKey(tenant, command.planId);
    const [{ state: plan }, { state: session }, policy] = await Promise.all([
      this.stores.plans.fresh(key), this.stores.sessions.fresh(sessionKey(tenant, key.session as string)), this.view.of(tenant),
    ]);
    const item = plan.items.get(command.itemId);
    if (!item) throw new GateError('NOT_FOUND', 'There is no such item', { planId: command.planId, itemId: command.itemId });
    return { command, key, item, session, policy, input: await this.inputOf(tenant, item), now: this.now().toISOString() };
  }

  private inputOf(tenant: TenantId, item: ItemState): ReturnType<typeof inputOrNone> {
    return inputOrNone(item, { blobs: this.stores.blobs, tenant });
  }
}

type GivesStanding = ItemAnswer & { readonly grant: { readonly grantId: string; readonly reservation: string } };
const givesStanding = (answer: ItemAnswer): answer is GivesStanding => answer.scope === 'always' && answer.grant?.reservation !== undefined;
