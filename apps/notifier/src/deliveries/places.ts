import { LIMITS, type OutboxKey } from '@countersign/contracts';

export type Place =
  | { readonly kind: 'taken'; readonly leave: () => void }
  /** Come again then. */
  | { readonly kind: 'wait'; readonly ms: number }
  /** More wait than may. */
  | { readonly kind: 'full' };

interface Webhook {
  inFlight: number;
  /** Until when each delivery that waits is to come again, by sequence. */
  readonly waiting: Map<number, number>;
  /** How long a call of it lately took. */
  tookMs: number;
}

const SHORTEST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 30_000;
/** One that has not come again for this long after its time is with another process, or gone. */
const OVERDUE_MS = 60_000;

/**
 * How many deliveries are under way to each webhook and of each tenant in this process. What finds no place is given back to
 * the broker, so a slow receiver takes nothing from anybody else.
 */
export class Places {
  private readonly webhooks = new Map<string, Webhook>();
  private readonly tenants = new Map<string, number>();

  constructor(
    /** A clock that never goes back, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
    private readonly chance: () => number = Math.random,
  ) {}

  /** @param id of the delivery: its sequence in the outbox */
  take({ tenant, webhook: name }: OutboxKey, id: number): Place {
    const key = `${tenant} ${name}`;
    const webhook = this.webhooks.get(key) ?? { inFlight: 0, waiting: new Map(), tookMs: 0 };
    this.webhooks.set(key, webhook);
    const ofTenant = this.tenants.get(tenant) ?? 0;
    if (webhook.inFlight >= LIMITS.webhookInFlight || ofTenant >= LIMITS.webhookInFlightOfTenant) return this.wait(webhook, id);
    webhook.waiting.delete(id);
    webhook.inFlight += 1;
    this.tenants.set(tenant, ofTenant + 1);
    const began = this.now();
    return { kind: 'taken', leave: () => this.leave(key, tenant, webhook, this.now() - began) };
  }

  /** It will not come again: it was dropped or given up. */
  forget({ tenant, webhook: name }: OutboxKey, id: number): void {
    const key = `${tenant} ${name}`;
    this.webhooks.get(key)?.waiting.delete(id);
    this.drop(key);
  }

  private leave(key: string, tenant: string, webhook: Webhook, tookMs: number): void {
    webhook.inFlight -= 1;
    webhook.tookMs = webhook.tookMs === 0 ? tookMs : (webhook.tookMs * 3 + tookMs) / 4;
    const left = (this.tenants.get(tenant) ?? 1) - 1;
    if (left > 0) this.tenants.set(tenant, left);
    else this.tenants.delete(tenant);
    this.drop(key);
  }

  /** About as long as those take that wait already, so that a place that becomes free is soon taken and few come in vain. */
  private wait(webhook: Webhook, id: number): Place {
    const { waiting, tookMs } = webhook;
    if (!waiting.has(id) && waiting.size >= LIMITS.webhookWaiting) this.dropOverdue(waiting);
    if (!waiting.has(id) && waiting.size >= LIMITS.webhookWaiting) return { kind: 'full' };
    const turns = (waiting.size + 1) / LIMITS.webhookInFlight;
    const ms = Math.round(Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS + 2 * this.chance() * turns * tookMs));
    waiting.set(id, this.now() + ms);
    return { kind: 'wait', ms };
  }

  private dropOverdue(waiting: Map<number, number>): void {
    for (const [id, until] of waiting) if (until + OVERDUE_MS < this.now()) waiting.delete(id);
  }

  private drop(key: string): void {
    const webhook = this.webhooks.get(key);
    if (webhook && webhook.inFlight === 0 && webhook.waiting.size === 0) this.webhooks.delete(key);
  }
}
