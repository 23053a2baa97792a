/** Milliseconds before the next try: doubles from `firstMs` up to `capMs`, then half of it is left to chance. */
export function backoffMs(tries: number, { firstMs, capMs, random }: { firstMs: number; capMs: number; random: () => number }): number {
  const full = Math.min(capMs, firstMs * 2 ** Math.min(tries, 30));
  return full / 2 + (full / 2) * random();
}
