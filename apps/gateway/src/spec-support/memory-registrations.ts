import { providerKey, tenantKey, type TenantEvent } from '@countersign/contracts';
import { providerFold, registerProvider, removeProvider } from '@countersign/domain-provider';
import {
  changeSettings, freeze, issueKey, registerSubscriber, registerTenant, registerWebhook, removeSubscriber, removeWebhook, revokeKey, tenantFold, unfreeze, type TenantState,
} from '@countersign/domain-tenant';
import { InMemoryEventLog, createAggregateStore, type InMemoryBroker } from '@countersign/event-log';
import type { CommandContext } from '@countersign/contracts';
import type { Decision } from '@countersign/kernel';
import { OPERATIONS } from './memory-plans.js';
import { accepted, metaOf, type Served } from './served.js';

type Told = { readonly repeated: boolean; readonly version?: number };

/** Planner's part for the catalogue. */
export function memoryRegistrations(broker: InMemoryBroker): Served {
  const planner = new InMemoryEventLog('planner', broker);
  const tenants = createAggregateStore(planner, tenantFold);
  const providers = createAggregateStore(planner, providerFold);
  const ofTenant = async ({ tenant, ...of }: CommandContext, decide: (state: TenantState, by: string) => Decision<TenantEvent, Told>) =>
    accepted(await tenants.transact(tenantKey(tenant), ({ state }) => decide(state, of.principal), metaOf(of)));
  return {
    'planner.register-tenant': (command, context) => ofTenant(context, (state) => registerTenant(state, command)),
    'planner.issue-key': (command, context) => ofTenant(context, (state, by) => issueKey(state, { ...command, by })),
    'planner.revoke-key': (command, context) => ofTenant(context, (state, by) => revokeKey(state, { ...command, by })),
    'planner.change-settings': (command, context) => ofTenant(context, (state, by) => changeSettings(state, { ...command, by })),
    'planner.register-subscriber': (command, context) => ofTenant(context, (state, by) => registerSubscriber(state, { ...command, by })),
    'planner.remove-subscriber': (command, context) => ofTenant(context, (state, by) => removeSubscriber(state, { ...command, by })),
    'planner.register-webhook': (command, context) => ofTenant(context, (state, by) => registerWebhook(state, { ...command, by })),
    'planner.remove-webhook': (command, context) => ofTenant(context, (state, by) => removeWebhook(state, { ...command, by })),
    'planner.freeze': (command, context) => ofTenant(context, (state, by) => freeze(state, { ...command, by })),
    'planner.unfreeze': (command, context) => ofTenant(context, (state, by) => unfreeze(state, { ...command, by })),
    'planner.register-provider': async (command, { tenant, ...of }) => accepted(await providers.transact(providerKey(tenant, command.name), ({ state }) => registerProvider(state, { ...command, by: of.principal }), metaOf(of))),
    'planner.remove-provider': async (command, { tenant, ...of }) => accepted(await providers.transact(providerKey(tenant, command.name), ({ state }) => removeProvider(state, { ...command, by: of.principal }), metaOf(of))),
    'executor.describe-provider': async () => ({ operations: OPERATIONS }),
  };
}
