import { PROVIDER_NAME_PATTERN, catalogueFilter, providerKey, type ProviderEvent, type StoredEvent, type TenantId, type ToolSchema } from '@countersign/contracts';
import type { ProviderView, ToolView } from '@countersign/contracts/http';
import { providerFold, type ProviderState } from '@countersign/domain-provider';
import type { EventLog, Folded } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import type { History } from '../ports.js';
import { found, type Aggregates } from './aggregates.js';

interface Listed { readonly upTo: number; readonly providers: ReadonlyMap<string, Folded<ProviderState>> }

const LISTS_KEPT = 1_000;

/** Shows a tenant's providers as they are registered now. */
export class ProviderReader {
  /** Lists as of a position; the leader says whether it is still the last one. */
  private readonly lists = new Map<TenantId, Listed>();

  constructor(private readonly aggregates: Aggregates, private readonly log: EventLog, private readonly history: History) {}

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
    const { providers } = await this.listed(tenant);
    return [...providers].filter(([, { state }]) => state.current).sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, provider]) => providerView(name, provider));
  }

  /** Of every provider, as far as they are to be told of. */
  async tools(tenant: TenantId, told: (operation: ToolSchema) => boolean): Promise<ToolView[]> {
    return (await this.list(tenant)).flatMap(({ name: provider, operations }) => operations.filter(told).map(({ name, category, kind, risk, description, inputSchema }) => (
      { provider, operation: name, category, kind, risk, description, inputSchema })));
  }

  /** Reads on from the list it has; the log is short here, one event a registration. */
  private async listed(tenant: TenantId): Promise<Listed> {
    const filter = catalogueFilter(tenant, 'provider');
    const known = this.lists.get(tenant) ?? { upTo: 0, providers: new Map() };
    if (known.upTo === await this.log.lastSequence('CATALOG', filter)) return known;
    const providers = new Map(known.providers);
    let upTo = known.upTo;
    for await (const event of this.history.from('CATALOG', filter, known.upTo)) {
      const before = providers.get(event.key.id)?.state ?? providerFold.initial;
      const state = providerFold.evolve(before, event as StoredEvent<ProviderEvent>);
      providers.set(event.key.id, { state, position: { rev: event.rev, sequence: event.sequence } });
      upTo = event.sequence;
    }
    return this.keep(tenant, { upTo, providers });
  }

  private keep(tenant: TenantId, listed: Listed): Listed {
    if (this.lists.size >= LISTS_KEPT) this.lists.clear();
    if (listed.upTo >= (this.lists.get(tenant)?.upTo ?? 0)) this.lists.set(tenant, listed);
    return listed;
  }
}

function providerView(name: string, { state, position }: Folded<ProviderState>): ProviderView {
  const { version, digest, endpoint, operations, by, at } = state.current!;
  return { name, version, digest, endpoint, operations, registeredBy: by, registeredAt: at, sequence: position.sequence };
}
