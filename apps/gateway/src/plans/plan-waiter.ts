import { aggregateFilter, type AggregateKey, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import { isPending, isSettled, type PlanState } from '@countersign/domain-plan';
import type { AggregateStore, Folded } from '@countersign/event-log';
import type { WaitFor } from '../edge/query.js';
import type { LiveFeed } from '../ports.js';
import { Bell } from '../waiting/bell.js';

/** How long, and until when: a stage of the whole plan, or whatever holds of it. */
export type Goal = WaitFor | { readonly waitMs: number; readonly until: (plan: PlanState) => boolean };

export type Plans = Pick<AggregateStore<PlanState, PlanEvent>, 'get' | 'fresh' | 'observe'>;

/**
 * Holds answers back until a plan has come so far: listen, load, wait. Nothing is polled, and a wait is only a promise:
 * nothing is lost when it ends early.
 */
export class PlanWaiter {
  private readonly watches = new Set<PlanWatch>();

  constructor(private readonly plans: Plans, private readonly feed: LiveFeed) {}

  /** How many watches there are now. */
  get size(): number {
    return this.watches.size;
  }

  /** From now on nothing of this plan is missed. Must be ended. */
  watch(key: AggregateKey, signal: AbortSignal): PlanWatch {
    const watch: PlanWatch = new PlanWatch(key, this.plans, signal, () => {
      leave();
      this.watches.delete(watch);
    });
    const leave = this.feed.listen(aggregateFilter(key), {
      event: (event) => { this.plans.observe(event as StoredEvent<PlanEvent>); watch.hear(event.sequence); },
      missed: () => watch.miss(),
    });
    this.watches.add(watch);
    return watch;
  }
}

export class PlanWatch {
  private readonly bell = new Bell();
  private heard = 0;
  private missed = false;
  private readonly ring = this.bell.ring;

  constructor(
    private readonly key: AggregateKey, private readonly plans: Plans, private readonly signal: AbortSignal, private readonly onEnd: () => void,
  ) {
    signal.addEventListener('abort', this.ring);
  }

  hear(sequence: number): void {
    this.heard = Math.max(this.heard, sequence);
    this.ring();
  }

  /** Something of this plan may not have been heard. */
  miss(): void {
    this.missed = true;
    this.ring();
  }

  end(): void {
    this.signal.removeEventListener('abort', this.ring);
    this.onEnd();
  }

  /**
   * The plan when it has come so far, or as it is when the time is over or the signal says stop.
   * @param start the plan as it was after the watch began
   */
  async reaches(goal: Goal, start: Folded<PlanState>): Promise<Folded<PlanState>> {
    const deadline = performance.now() + goal.waitMs;
    let folded = start;
    while (!hasReached(folded.state, goal.until)) {
      const leftMs = deadline - performance.now();
      if (leftMs <= 0 || this.signal.aborted) break;
      if (!(await this.bell.rings(leftMs))) return await this.plans.fresh(this.key);
      folded = await this.afterRing(folded);
    }
    return folded;
  }

  /** What was heard is folded already, unless an event before it was lost. What may have been missed is asked of the leader. */
  private async afterRing(before: Folded<PlanState>): Promise<Folded<PlanState>> {
    if (this.missed) {
      this.missed = false;
      return this.plans.fresh(this.key);
    }
    return this.heard > before.position.sequence ? this.plans.get(this.key, this.heard) : before;
  }
}

/** An item that is pending has no verdict; one that is asked has. What does not exist is not waited for. */
export function hasReached(plan: PlanState, until: Goal['until']): boolean {
  if (!plan.proposed) return true;
  if (typeof until === 'function') return until(plan);
  return until === 'settled' ? isSettled(plan) : ![...plan.items.values()].some(isPending);
}
