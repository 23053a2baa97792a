import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  LIMITS, PROVIDER_NAME_PATTERN, providerKey, tenantKey, type Accepted, type Command, type CommandContext, type ProviderEndpoint, type RegisterProvider, type RemoveProvider,
  type ToolSchema,
} from '@countersign/contracts';
import { registerProvider, removeProvider, runsLocally } from '@countersign/domain-provider';
import { mayStartProcesses } from '@countersign/domain-tenant';
import { acceptedOf, metaOf } from '@countersign/event-log';
import { GateError, canonicalJson, isGateError } from '@countersign/kernel';
import { compileSchema } from '@countersign/providers';
import type { PlannerStores } from '../stores.js';

/** The registration's own members beside endpoint and operations. */
const REST_OF_EVENT_BYTES = 1_024;

/** Providers and their catalogues. What a provider offers was asked by the gateway; it is checked here. */
export class Providers {
  constructor(private readonly stores: PlannerStores) {}

  /** @throws GateError INVALID_REQUEST, PROVIDER_INVALID, KIND_NOT_SUPPORTED, LOCAL_PROCESSES_FORBIDDEN */
  async register({ context, name, endpoint, operations, at }: Command<RegisterProvider>): Promise<Accepted> {
    await this.checkEndpoint(context, endpoint);
    checkSize(endpoint, operations);
    await checkSchemas(operations);
    return acceptedOf(await this.stores.providers.transact(
      keyOf(context, name), ({ state }) => registerProvider(state, { name, endpoint, operations, by: context.principal, at }), { meta: metaOf(context, 'person') },
    ));
  }

  /** @throws GateError NOT_FOUND */
  async remove({ context, name, at }: Command<RemoveProvider>): Promise<Accepted> {
    return acceptedOf(await this.stores.providers.transact(
      keyOf(context, name), ({ state }) => removeProvider(state, { by: context.principal, at }), { meta: metaOf(context, 'person') },
    ));
  }

  private async checkEndpoint(context: CommandContext, endpoint: ProviderEndpoint): Promise<void> {
    const { state: tenant } = await this.stores.tenants.fresh(tenantKey(context.tenant));
    if (!tenant.registered) throw new GateError('NOT_FOUND', 'There is no such tenant');
    if (runsLocally(endpoint) && !mayStartProcesses(tenant)) throw new GateError('LOCAL_PROCESSES_FORBIDDEN');
  }
}

function keyOf(context: CommandContext, name: string): ReturnType<typeof providerKey> {
  if (!PROVIDER_NAME_PATTERN.test(name)) throw new GateError('INVALID_REQUEST', 'A provider is named in up to 40 lower-case letters, digits, - and _');
  return providerKey(context.tenant, name);
}

function checkSize(endpoint: ProviderEndpoint, operations: readonly ToolSchema[]): void {
  const bytes = Buffer.byteLength(canonicalJson({ endpoint, operations }));
  if (bytes > LIMITS.eventBytes - REST_OF_EVENT_BYTES) {
    throw new GateError('PROVIDER_INVALID', `The catalogue has ${bytes} bytes; at most ${LIMITS.eventBytes - REST_OF_EVENT_BYTES} can be registered`);
  }
}

/** Compiles every schema once, letting others run in between: a large catalogue takes a second. */
async function checkSchemas(operations: readonly ToolSchema[]): Promise<void> {
  for (const operation of operations) {
    for (const member of ['inputSchema', 'outputSchema'] as const) {
      const schema = operation[member];
      if (schema) checkSchema(operation.name, member, schema);
    }
    await nextTurn();
  }
}

function checkSchema(operation: string, member: string, schema: ToolSchema['inputSchema']): void {
  try {
    compileSchema(schema);
  } catch (error) {
    if (!isGateError(error)) throw error;
    throw new GateError(error.code, `Operation ${operation}, ${member}: ${error.message}`, { operation, member });
  }
}
