import type { Folded } from './aggregate-store.js';

/** The most recently used folds; a fold only ever goes forward. */
export class FoldCache<State> {
  private readonly folds = new Map<string, Folded<State>>();

  constructor(private readonly entries: number) {}

  get(key: string): Folded<State> | undefined {
    const folded = this.folds.get(key);
    if (folded) this.touch(key, folded);
    return folded;
  }

  /** The newer of what is given and what is there. */
  advance(key: string, folded: Folded<State>): Folded<State> {
    const known = this.folds.get(key);
    const newest = known && known.position.sequence > folded.position.sequence ? known : folded;
    this.touch(key, newest);
    return newest;
  }

  drop(key: string): void {
    this.folds.delete(key);
  }

  private touch(key: string, folded: Folded<State>): void {
    this.folds.delete(key);
    this.folds.set(key, folded);
    if (this.folds.size > this.entries) this.folds.delete(this.folds.keys().next().value as string);
  }
}
