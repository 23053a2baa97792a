import { LIMITS } from '@countersign/contracts';

/** More deliveries than are ever under way; beyond it the oldest begins anew. */
const KEPT = 50_000;

/**
 * How often each delivery was tried in this process. The broker's own count will not do: waiting for a place counts there as
 * well. A restart counts anew, so a delivery may have some more tries then, never fewer.
 */
export class Tries {
  private readonly counts = new Map<number, number>();

  /** One more has failed. @returns the pause before the next one; undefined: it was the last */
  failed(id: number): number | undefined {
    const count = (this.counts.get(id) ?? 0) + 1;
    this.counts.delete(id);
    if (count >= LIMITS.webhookTries) return undefined;
    this.counts.set(id, count);
    if (this.counts.size > KEPT) this.counts.delete(this.counts.keys().next().value!);
    return LIMITS.webhookFirstPauseMs * 2 ** (count - 1);
  }

  forget(id: number): void {
    this.counts.delete(id);
  }
}
