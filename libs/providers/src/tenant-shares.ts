export interface TenantSharesOptions {
  /** Slow ones that a tenant may have in the process at a time. */
  readonly slowMost: number;
  /** From then on one is slow. */
  readonly slowMs: number;
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
}

/**
 * Keeps one tenant's slow providers from filling a consumer that all tenants share. Only what is slow counts, so that a
 * busy tenant with quick providers is never held back.
 */
export class TenantShares {
  private readonly running = new Map<string, Set<{ readonly since: number }>>();

  constructor(private readonly options: TenantSharesOptions) {}

  /** @returns how to leave, or undefined: the tenant has too many slow ones; come again later */
  enter(tenant: string): (() => void) | undefined {
    const now = (this.options.now ?? (() => performance.now()))();
    const mine = this.running.get(tenant) ?? new Set();
    if (this.hasItsShare(mine, now)) return undefined;
    const place = { since: now };
    this.running.set(tenant, mine.add(place));
    return () => {
      mine.delete(place);
      if (mine.size === 0 && this.running.get(tenant) === mine) this.running.delete(tenant);
    };
  }

  /** In order of their start: when the last of that many is slow, all before it are. */
  private hasItsShare(places: ReadonlySet<{ readonly since: number }>, now: number): boolean {
    if (places.size < this.options.slowMost) return false;
    let index = 0;
    for (const { since } of places) {
      index += 1;
      if (index === this.options.slowMost) return now - since >= this.options.slowMs;
    }
    return false;
  }
}
