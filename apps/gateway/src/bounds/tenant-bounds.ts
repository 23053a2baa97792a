import { LIMITS, type TenantId } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { TokenBucket } from './token-bucket.js';

export interface TenantLimits {
  /** Requests that may change something, on average and after a pause. */
  readonly perSecond: number;
  readonly burst: number;
  /** Proposals that planner has not accepted yet. An answer that is held back for its verdict is none. */
  readonly proposalsInFlight: number;
}

const OURS: TenantLimits = { perSecond: LIMITS.tenantChangesPerSecond, burst: LIMITS.tenantChangesBurst, proposalsInFlight: LIMITS.tenantProposalsInFlight };

/** What one tenant may ask of this process, so that no tenant's fleet is felt by another's. Reads are not counted. */
export class TenantBounds {
  private readonly buckets = new Map<TenantId, TokenBucket>();
  private readonly proposals = new Map<TenantId, number>();

  constructor(private readonly limits: TenantLimits = OURS, private readonly nowMs: () => number = () => performance.now()) {}

  /** For each request that may change something. @throws GateError TOO_MANY_REQUESTS */
  countChange(tenant: TenantId): void {
    const waitMs = this.bucketOf(tenant).take(this.nowMs());
    if (waitMs > 0) throw tooMany(`This tenant makes more than ${this.limits.perSecond} changes a second`, Math.ceil(waitMs / 1_000));
  }

  /** @throws GateError TOO_MANY_REQUESTS, and whatever `work` throws */
  async proposing<T>(tenant: TenantId, work: () => Promise<T>): Promise<T> {
    const before = this.proposals.get(tenant) ?? 0;
    if (before >= this.limits.proposalsInFlight) throw tooMany(`${before} proposals of this tenant are on their way`, 1);
    this.proposals.set(tenant, before + 1);
    try {
      return await work();
    } finally {
      this.leave(tenant);
    }
  }

  private leave(tenant: TenantId): void {
    const left = this.proposals.get(tenant)! - 1;
    if (left > 0) this.proposals.set(tenant, left);
    else this.proposals.delete(tenant);
  }

  private bucketOf(tenant: TenantId): TokenBucket {
    const known = this.buckets.get(tenant);
    if (known) return known;
    const now = this.nowMs();
    if (this.buckets.size >= LIMITS.foldCacheEntries) for (const [other, bucket] of this.buckets) if (bucket.isFull(now)) this.buckets.delete(other);
    const made = new TokenBucket(this.limits.perSecond, this.limits.burst, now);
    this.buckets.set(tenant, made);
    return made;
  }
}

/** @param afterSeconds for `Retry-After` */
export const tooMany = (why: string, afterSeconds: number): GateError => new GateError('TOO_MANY_REQUESTS', why, { retryAfterSeconds: afterSeconds });
