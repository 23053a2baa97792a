import { LIMITS, type OutboxKey, type TenantId } from '@countersign/contracts';
import { shareOf } from './share.js';

interface Waiting {
  /** When it is to come again, by the room's clock. */
  until: number;
  /** For a place; else for its next try. */
  forPlace: boolean;
}

interface Queue {
  readonly tenant: TenantId;
  readonly waiting: Map<number, Waiting>;
}

/** One that has not come again for this long after its time is with another process, or gone. */
const OVERDUE_MS = 60_000;

/**
 * The deliveries that this process has given back to the broker, to come again. The broker hands out no more than a number of
 * messages that nobody has settled, and these count: without a bound the dead receiver of one tenant would in the end stop
 * the deliveries of all.
 */
export class WaitingRoom {
  private readonly queues = new Map<string, Queue>();
  private readonly tenants = new Map<TenantId, number>();
  private sweptAt: number;

  /** @param now a clock that never goes back, in milliseconds */
  constructor(private readonly now: () => number = () => performance.now()) {
    this.sweptAt = now();
  }

  /** Who is in already may always stay. @param id of the delivery: its sequence in the outbox. @returns false: there is no room */
  enter(key: OutboxKey, id: number, ms: number, what: 'place' | 'try'): boolean {
    this.sweep();
    const queue = this.queues.get(nameOf(key)) ?? { tenant: key.tenant, waiting: new Map<number, Waiting>() };
    if (!queue.waiting.has(id)) {
      if (this.isFull(key.tenant, queue.waiting.size)) return false;
      this.count(key.tenant, 1);
    }
    queue.waiting.set(id, { until: this.now() + ms, forPlace: what === 'place' });
    this.queues.set(nameOf(key), queue);
    return true;
  }

  /** It has a place; its chair is kept until it leaves. */
  called(key: OutboxKey, id: number): void {
    const found = this.queues.get(nameOf(key))?.waiting.get(id);
    if (found) found.forPlace = false;
  }

  /** It will not come again: it was delivered, dropped or given up. */
  leave(key: OutboxKey, id: number): void {
    const queue = this.queues.get(nameOf(key));
    if (!queue?.waiting.delete(id)) return;
    this.count(key.tenant, -1);
    if (queue.waiting.size === 0) this.queues.delete(nameOf(key));
  }

  /** How many wait for a place at this webhook. */
  forPlace(key: OutboxKey): number {
    let count = 0;
    for (const { forPlace } of this.queues.get(nameOf(key))?.waiting.values() ?? []) if (forPlace) count += 1;
    return count;
  }

  private isFull(tenant: TenantId, ofWebhook: number): boolean {
    const ofTenant = this.tenants.get(tenant) ?? 0;
    const tenants = ofTenant > 0 ? this.tenants.size : this.tenants.size + 1;
    return ofWebhook >= LIMITS.webhookWaiting || ofTenant >= shareOf(LIMITS.webhookWaitingOfTenant, LIMITS.outboxWaiting, tenants);
  }

  private count(tenant: TenantId, by: number): void {
    const left = (this.tenants.get(tenant) ?? 0) + by;
    if (left > 0) this.tenants.set(tenant, left);
    else this.tenants.delete(tenant);
  }

  private sweep(): void {
    const now = this.now();
    if (now - this.sweptAt < OVERDUE_MS) return;
    this.sweptAt = now;
    for (const [name, { tenant, waiting }] of this.queues) {
      for (const [id, { until }] of waiting) if (until + OVERDUE_MS < now && waiting.delete(id)) this.count(tenant, -1);
      if (waiting.size === 0) this.queues.delete(name);
    }
  }
}

const nameOf = ({ tenant, webhook }: OutboxKey): string => `${tenant} ${webhook}`;
