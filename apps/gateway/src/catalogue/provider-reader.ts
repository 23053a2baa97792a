import { PROVIDER_NAME_PATTERN, providerKey, type ProviderEvent, type TenantId, type ToolSchema } from '@countersign/contracts';
import type { ProviderView, ToolView } from '@countersign/contracts/http';
import { providerFold, type ProviderState } from '@countersign/domain-provider';
import type { EventLog, Folded } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { History } from '../ports.js';
import { found, type Aggregates } from './aggregates.js';
import { CatalogueList } from './catalogue-list.js';

/** Shows a tenant's providers as they are registered now. */
export class ProviderReader {
  private readonly lists: CatalogueList<ProviderState, ProviderEvent>;

  constructor(private readonly aggregates: Aggregates, log: EventLog, history: History) {
    this.lists = new CatalogueList('provider', providerFold, log, history);
  }

  /** @throws GateError NOT_FOUND */
  async view(tenant: TenantId, name: string, atLeast?: number): Promise<ProviderView> {
    const missing = () => new GateError('NOT_FOUND', `There is no provider ${name.slice(0, 80)}`);
    if (!PROVIDER_NAME_PATTERN.test(name)) throw missing();
    const provider = await found(this.aggregates.providers, providerKey(tenant, name), (state) => state.current !== undefined, atLeast);
    if (!provider) throw missing();
    return providerView(name, provider);
  }

  /** By name. */
  async list(tenant: TenantId): Promise<ProviderView[]> {
    const providers = await this.lists.of(tenant);
    return [...providers].filter(([, { state }]) => state.current).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, provider]) => providerView(name, provider));
  }

  /** Of every provider, as far as they are to be told of. */
  async tools(tenant: TenantId, told: (operation: ToolSchema) => boolean): Promise<ToolView[]> {
    return (await this.list(tenant)).flatMap(({ name: provider, operations }) => operations.filter(told).map(({ name, category, kind, risk, description, inputSchema }) => (
      { provider, operation: name, category, kind, risk, description, inputSchema })));
  }
}

function providerView(name: string, { state, position }: Folded<ProviderState>): ProviderView {
  const { version, digest, endpoint, operations, by, at } = state.current!;
  return { name, version, digest, endpoint, operations, registeredBy: by, registeredAt: at, sequence: position.sequence };
}
