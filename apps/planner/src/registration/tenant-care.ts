import {
  LIMITS, tenantKey, type Accepted, type ChangeSettings, type Command, type CommandContext, type FreezeSome, type RegisterSubscriber, type RegisterWebhook, type RemoveByName,
  type TenantEvent, type Unfreeze,
} from '@countersign/contracts';
import {
  changeSettings, freeze, registerSubscriber, registerWebhook, removeSubscriber, removeWebhook, unfreeze, type TenantState,
} from '@countersign/domain-tenant';
import { acceptedOf, metaOf, type Position } from '@countersign/event-log';
import { GateError, type Decision } from '@countersign/kernel';
import type { PlannerStores } from '../stores.js';

/** Events of a tenant that are left for stopping: freezes, their lifting, and keys that are revoked. */
const KEPT_FOR_STOPPING = 200;

type Decide = (tenant: TenantState) => Decision<TenantEvent, { readonly repeated: boolean; readonly version?: number }>;

/** What a tenant's admin sets: settings, whom the gate asks and tells, and what is frozen. Who may do so is the edge's to say. */
export class TenantCare {
  constructor(private readonly stores: Pick<PlannerStores, 'tenants'>) {}

  /** @throws GateError NOT_FOUND, INVALID_REQUEST */
  async changeSettings({ context, settings, at }: Command<ChangeSettings>): Promise<Accepted> {
    return await this.write(context, (tenant) => changeSettings(tenant, { settings, by: context.principal, at }));
  }

  /** `version`: of the secret. @throws GateError NOT_FOUND, INVALID_REQUEST, URL_NOT_ALLOWED, AGGREGATE_TOO_LONG */
  async registerSubscriber({ context, subscriber, at }: Command<RegisterSubscriber>): Promise<Accepted> {
    return await this.write(context, (tenant) => registerSubscriber(tenant, { subscriber, by: context.principal, at }));
  }

  /** @throws GateError NOT_FOUND */
  async removeSubscriber({ context, name, at }: Command<RemoveByName>): Promise<Accepted> {
    return await this.write(context, (tenant) => removeSubscriber(tenant, { name, by: context.principal, at }));
  }

  /** `version`: of the secret. @throws GateError NOT_FOUND, INVALID_REQUEST, URL_NOT_ALLOWED, AGGREGATE_TOO_LONG */
  async registerWebhook({ context, webhook, at }: Command<RegisterWebhook>): Promise<Accepted> {
    return await this.write(context, (tenant) => registerWebhook(tenant, { webhook, by: context.principal, at }));
  }

  /** @throws GateError NOT_FOUND */
  async removeWebhook({ context, name, at }: Command<RemoveByName>): Promise<Accepted> {
    return await this.write(context, (tenant) => removeWebhook(tenant, { name, by: context.principal, at }));
  }

  /** Once it is answered no evaluation allows, and within `LIMITS.freezeWithinMs` nothing more is started. @throws GateError NOT_FOUND, INVALID_REQUEST, IDEMPOTENCY_KEY_REUSED, AGGREGATE_TOO_LONG */
  async freeze({ context, freezeId, target, reason, at }: Command<FreezeSome>): Promise<Accepted> {
    return await this.writeAlways(context, (tenant) => freeze(tenant, { freezeId, target, reason, by: context.principal, at }));
  }

  /** @throws GateError NOT_FOUND, SECOND_PERSON_REQUIRED */
  async unfreeze({ context, freezeId, at }: Command<Unfreeze>): Promise<Accepted> {
    return await this.writeAlways(context, (tenant) => unfreeze(tenant, { freezeId, by: context.principal, at }));
  }

  private async write(context: CommandContext, decide: Decide): Promise<Accepted> {
    return await this.writeAlways(context, (tenant, position) => {
      const decision = decide(tenant);
      if (decision.event) leaveRoomForStopping(position);
      return decision;
    });
  }

  private async writeAlways(context: CommandContext, decide: (tenant: TenantState, position: Position) => ReturnType<Decide>): Promise<Accepted> {
    return acceptedOf(await this.stores.tenants.transact(tenantKey(context.tenant), ({ state, position }) => decide(state, position), { meta: metaOf(context, 'person') }));
  }
}

/** A tenant that was changed so often can still be stopped. @throws GateError AGGREGATE_TOO_LONG */
export function leaveRoomForStopping({ rev }: Position): void {
  if (rev < LIMITS.aggregateRevisions - KEPT_FOR_STOPPING) return;
  throw new GateError('AGGREGATE_TOO_LONG', `This tenant was changed ${rev} times; what it may still be changed is left for freezes and for keys that are revoked`);
}
