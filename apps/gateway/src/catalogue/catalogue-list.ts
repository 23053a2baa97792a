import { catalogueFilter, type AggregateName, type AnyEvent, type StoredEvent, type TenantId } from '@countersign/contracts';
import type { EventLog, Folded } from '@countersign/event-log';
import type { Fold } from '@countersign/kernel';
import type { History } from '../ports.js';

interface Listed<State> { readonly upTo: number; readonly all: ReadonlyMap<string, Folded<State>> }

const LISTS_KEPT = 1_000;

/** Every aggregate of one kind that a tenant has in the catalogue, folded from the log. The leader says whether a list is still the last one. */
export class CatalogueList<State, Event extends AnyEvent> {
  private readonly lists = new Map<TenantId, Listed<State>>();

  constructor(private readonly aggregate: AggregateName, private readonly fold: Fold<State, Event>, private readonly log: EventLog, private readonly history: History) {}

  /** By id. Reads on from the list it has; the log is short here, one event a registration. */
  async of(tenant: TenantId): Promise<ReadonlyMap<string, Folded<State>>> {
    const filter = catalogueFilter(tenant, this.aggregate);
    const known = this.lists.get(tenant) ?? { upTo: 0, all: new Map() };
    if (known.upTo === await this.log.lastSequence('CATALOG', filter)) return known.all;
    const all = new Map(known.all);
    let upTo = known.upTo;
    for await (const event of this.history.from('CATALOG', filter, known.upTo)) {
      const before = all.get(event.key.id)?.state ?? this.fold.initial;
      all.set(event.key.id, { state: this.fold.evolve(before, event as StoredEvent<Event>), position: { rev: event.rev, sequence: event.sequence } });
      upTo = event.sequence;
    }
    this.keep(tenant, { upTo, all });
    return all;
  }

  private keep(tenant: TenantId, listed: Listed<State>): void {
    if (this.lists.size >= LISTS_KEPT) this.lists.clear();
    if (listed.upTo >= (this.lists.get(tenant)?.upTo ?? 0)) this.lists.set(tenant, listed);
  }
}
