import {
  TENANT_ID_PATTERN, tenantKey, type Accepted, type Command, type IssueKey, type RegisterTenant, type RevokeKey,
} from '@countersign/contracts';
import { issueKey, registerTenant, revokeKey } from '@countersign/domain-tenant';
import { acceptedOf, metaOf } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { PlannerStores } from '../stores.js';
import { leaveRoomForStopping } from './tenant-care.js';

/** Tenants and their keys. */
export class Tenants {
  constructor(private readonly stores: PlannerStores) {}

  /** @throws GateError INVALID_REQUEST, TENANT_EXISTS */
  async register({ context, name, localProcesses, keys, at }: Command<RegisterTenant>): Promise<Accepted> {
    if (!TENANT_ID_PATTERN.test(context.tenant)) {
      throw new GateError('INVALID_REQUEST', 'A tenant’s id has up to 32 lower-case letters, digits and hyphens');
    }
    return acceptedOf(await this.stores.tenants.transact(
      tenantKey(context.tenant), ({ state }) => registerTenant(state, { name, localProcesses, keys, at }), { meta: metaOf(context, 'person') },
    ));
  }

  /** @throws GateError NOT_FOUND, INVALID_REQUEST, KEY_ALREADY_ISSUED, IDEMPOTENCY_KEY_REUSED, AGGREGATE_TOO_LONG */
  async issueKey({ context, key, at }: Command<IssueKey>): Promise<Accepted> {
    return acceptedOf(await this.stores.tenants.transact(
      tenantKey(context.tenant), ({ state, position }) => {
        const decision = issueKey(state, { key, by: context.principal, at });
        if (decision.event) leaveRoomForStopping(position);
        return decision;
      }, { meta: metaOf(context, 'person') },
    ));
  }

  /** @throws GateError NOT_FOUND */
  async revokeKey({ context, keyId, at }: Command<RevokeKey>): Promise<Accepted> {
    return acceptedOf(await this.stores.tenants.transact(
      tenantKey(context.tenant), ({ state }) => revokeKey(state, { keyId, by: context.principal, at }), { meta: metaOf(context, 'person') },
    ));
  }
}
