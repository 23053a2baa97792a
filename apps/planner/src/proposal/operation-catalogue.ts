import {
  PROVIDER_NAME_PATTERN, providerKey, tenantFilter, type JsonObject, type OperationSnapshot, type ProviderEvent, type ProviderRegistered, type ProviderSnapshot,
  type TenantId, type ToolSchema,
} from '@countersign/contracts';
import type { ProviderState } from '@countersign/domain-provider';
import { seal, type AggregateStore, type BlobStore, type EventLog } from '@countersign/event-log';
import { digestOf } from '@countersign/kernel';

/** An operation as it goes into a plan, and its schema to check the input by. */
export interface CataloguedOperation {
  readonly snapshot: OperationSnapshot;
  readonly inputSchema: JsonObject;
}

export interface CataloguedProvider {
  readonly snapshot: ProviderSnapshot;
  /** Undefined when the provider has no operation of that name. */
  operation(name: string): Promise<CataloguedOperation> | undefined;
}

export interface CatalogueView {
  /** Sequence of the tenant's last event in CATALOG when this was looked at. */
  readonly sequence: number;
  /** Undefined when no provider of that name is registered now. */
  provider(name: string): Promise<CataloguedProvider | undefined>;
}

interface TenantEntry {
  readonly sequence: number;
  readonly providers: Map<string, Promise<CataloguedProvider | undefined>>;
}

/**
 * A tenant's providers as they are now. The leader is asked for the tenant's last catalogue sequence each time; while it
 * stands still, nothing is read. So what was acknowledged before a propose is seen by it.
 */
export class OperationCatalogue {
  private readonly tenants = new Map<TenantId, TenantEntry>();

  constructor(
    private readonly log: EventLog,
    private readonly providers: AggregateStore<ProviderState, ProviderEvent>,
    private readonly blobs: BlobStore,
    private readonly mostTenants = 1_000,
  ) {}

  async of(tenant: TenantId): Promise<CatalogueView> {
    const sequence = await this.log.lastSequence('CATALOG', tenantFilter(tenant));
    const entry = this.entryOf(tenant, sequence);
    return { sequence: entry.sequence, provider: (name) => this.providerOf(tenant, entry, name) };
  }

  private entryOf(tenant: TenantId, sequence: number): TenantEntry {
    const known = this.tenants.get(tenant);
    if (known && known.sequence >= sequence) return known;
    const entry: TenantEntry = { sequence, providers: new Map() };
    this.tenants.delete(tenant);
    this.tenants.set(tenant, entry);
    if (this.tenants.size > this.mostTenants) this.tenants.delete(this.tenants.keys().next().value!);
    return entry;
  }

  private providerOf(tenant: TenantId, entry: TenantEntry, name: string): Promise<CataloguedProvider | undefined> {
    if (!PROVIDER_NAME_PATTERN.test(name)) return Promise.resolve(undefined);
    let provider = entry.providers.get(name);
    if (!provider) {
      provider = this.load(tenant, name);
      entry.providers.set(name, provider);
      // a failure to read is not an answer, and the absence of one caller's typing is not worth remembering
      provider.then((found) => { if (!found) entry.providers.delete(name); }, () => entry.providers.delete(name));
    }
    return provider;
  }

  private async load(tenant: TenantId, name: string): Promise<CataloguedProvider | undefined> {
    const { current } = (await this.providers.fresh(providerKey(tenant, name))).state;
    return current && cataloguedProvider(name, current, (schema) => seal(schema, { blobs: this.blobs, tenant }));
  }
}

type SealSchema = (schema: JsonObject) => Promise<OperationSnapshot['inputSchema']>;

/** Snapshots are made when first used, and each once: a provider may offer hundreds of operations. */
function cataloguedProvider(name: string, current: ProviderRegistered, sealSchema: SealSchema): CataloguedProvider {
  const schemas = new Map(current.operations.map((operation) => [operation.name, operation]));
  const made = new Map<string, Promise<CataloguedOperation>>();
  return {
    snapshot: { version: current.version, digest: current.digest, endpoint: current.endpoint },
    operation(operationName) {
      const schema = schemas.get(operationName);
      if (!schema) return undefined;
      let operation = made.get(operationName);
      if (!operation) {
        operation = cataloguedOperation(name, schema, sealSchema);
        made.set(operationName, operation);
        operation.catch(() => made.delete(operationName));
      }
      return operation;
    },
  };
}

async function cataloguedOperation(provider: string, schema: ToolSchema, sealSchema: SealSchema): Promise<CataloguedOperation> {
  const { inputSchema, outputSchema, ...rest } = schema;
  const [sealedInput, sealedOutput] = await Promise.all([sealSchema(inputSchema), outputSchema && sealSchema(outputSchema)]);
  const snapshot: OperationSnapshot = {
    ...rest, provider, schemaDigest: digestOf(schema), inputSchema: sealedInput, ...(sealedOutput ? { outputSchema: sealedOutput } : {}),
  };
  return { snapshot, inputSchema };
}
