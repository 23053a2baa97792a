import { LIMITS, type OutboxKey, type TenantId } from '@countersign/contracts';
import { shareOf } from './share.js';

interface Receiver {
  inFlight: number;
  /** How long a call of it lately took. */
  tookMs: number;
}

const SHORTEST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 30_000;
/** Of a call, as long as none has ended. */
const ASSUMED_MS = 1_000;

/**
 * How many deliveries are under way to each webhook and of each tenant in this process. What finds no place is given back to
 * the broker, so a slow receiver takes nothing from anybody else.
 */
export class Places {
  private readonly receivers = new Map<string, Receiver>();
  private readonly tenants = new Map<TenantId, number>();
  private total = 0;

  constructor(
    /** A clock that never goes back, in milliseconds. */
    private readonly now: () => number = () => performance.now(),
    private readonly chance: () => number = Math.random,
  ) {}

  /** @returns what gives the place back; undefined: none is free */
  take({ tenant, webhook }: OutboxKey): (() => void) | undefined {
    const name = `${tenant} ${webhook}`;
    const receiver = this.receivers.get(name) ?? { inFlight: 0, tookMs: ASSUMED_MS };
    const ofTenant = this.tenants.get(tenant) ?? 0;
    if (receiver.inFlight >= LIMITS.webhookInFlight || ofTenant >= this.shareOf(ofTenant > 0 ? this.tenants.size : this.tenants.size + 1)) return undefined;
    this.receivers.set(name, receiver);
    receiver.inFlight += 1;
    this.tenants.set(tenant, ofTenant + 1);
    this.total += 1;
    const began = this.now();
    return () => this.leave(name, tenant, receiver, this.now() - began);
  }

  /**
   * When to come again for a place: about when those are served that wait already, so that a place that becomes free is
   * soon taken and few come in vain. @param waiting for a place at the same webhook
   */
  waitMs({ tenant, webhook }: OutboxKey, waiting: number): number {
    const tookMs = this.receivers.get(`${tenant} ${webhook}`)?.tookMs ?? ASSUMED_MS;
    const turns = (waiting + 1) / LIMITS.webhookInFlight;
    return Math.round(Math.min(LONGEST_WAIT_MS, SHORTEST_WAIT_MS + 2 * this.chance() * turns * tookMs));
  }

  /** When all is taken (many receivers have begun to hang at once), one each. */
  private shareOf(tenants: number): number {
    return this.total >= LIMITS.outboxInFlight ? 1 : shareOf(LIMITS.webhookInFlightOfTenant, LIMITS.outboxInFlight, tenants);
  }

  private leave(name: string, tenant: TenantId, receiver: Receiver, tookMs: number): void {
    receiver.inFlight -= 1;
    receiver.tookMs = (receiver.tookMs * 3 + tookMs) / 4;
    if (receiver.inFlight === 0) this.receivers.delete(name);
    const left = (this.tenants.get(tenant) ?? 1) - 1;
    if (left > 0) this.tenants.set(tenant, left);
    else this.tenants.delete(tenant);
    this.total -= 1;
  }
}
