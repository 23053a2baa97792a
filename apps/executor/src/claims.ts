import { keyText, type AggregateKey } from '@countersign/contracts';

export interface Claim {
  has(itemId: string): boolean;
  release(): void;
}

/**
 * Items that a handler of this process works on. Two messages of one plan may run beside each other here, and a read
 * leaves no trace in the log while it runs; nor may a message that came again recover what its first run still does.
 */
export class Claims {
  private readonly taken = new Set<string>();

  /** Takes those that nobody has. */
  take(plan: AggregateKey, items: readonly string[]): Claim {
    const nameOf = (itemId: string): string => `${keyText(plan)} ${itemId}`;
    const mine = new Set([...new Set(items)].filter((itemId) => !this.taken.has(nameOf(itemId))));
    for (const itemId of mine) this.taken.add(nameOf(itemId));
    return {
      has: (itemId) => mine.has(itemId),
      release: () => mine.forEach((itemId) => this.taken.delete(nameOf(itemId))),
    };
  }
}
