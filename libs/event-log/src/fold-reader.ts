import { keyText, type AggregateKey, type AnyEvent, type StoredEvent } from '@countersign/contracts';
import { GateError, isGateError, type Fold } from '@countersign/kernel';
import type { Folded } from './aggregate-store.js';
import { NOWHERE, type EventLog, type Position } from './event-log.js';
import { FoldCache } from './fold-cache.js';

/** Waits, in milliseconds, between the reads that look for a sequence the log is known to have. */
const CATCH_UP_MS = [1, 2, 4, 8, 15, 30, 60, 120] as const;

/** Reads and keeps folds; decides nothing. */
export class FoldReader<State, Event extends AnyEvent> {
  /** What an aggregate without events is. */
  readonly nothing: Folded<State>;
  private readonly cache: FoldCache<State>;

  constructor(
    private readonly log: EventLog,
    private readonly fold: Fold<State, Event>,
    cacheEntries: number,
    private readonly sleep: (ms: number) => Promise<void>,
  ) {
    this.cache = new FoldCache(cacheEntries);
    this.nothing = { state: fold.initial, position: NOWHERE };
  }

  cached(key: AggregateKey): Folded<State> | undefined {
    return this.cache.get(keyText(key));
  }

  async newer(key: AggregateKey): Promise<Folded<State>> {
    const text = keyText(key);
    const known = this.cache.get(text);
    try {
      const { events, position } = await this.log.load<Event>(key, known?.position);
      const state = events.reduce<State>(this.fold.evolve, known?.state ?? this.fold.initial);
      return this.cache.advance(text, { state, position });
    } catch (error) {
      if (!isGateError(error, 'UNAVAILABLE')) this.cache.drop(text);
      throw error;
    }
  }

  /** @throws GateError UNAVAILABLE when the log goes on showing less than `sequence` */
  async reaching(key: AggregateKey, sequence: number): Promise<Folded<State>> {
    const known = this.cached(key);
    if (known && known.position.sequence >= sequence) return known;
    for (const waitMs of [...CATCH_UP_MS, undefined]) {
      const folded = await this.newer(key);
      if (folded.position.sequence >= sequence) return folded;
      if (waitMs !== undefined) await this.sleep(waitMs);
    }
    throw new GateError('UNAVAILABLE', `The log does not show ${keyText(key)} up to sequence ${sequence} yet`);
  }

  /** As the leader has it now. A cached fold beyond the leader's end is of a log that has lost its tail: it is forgotten. */
  async confirmed(key: AggregateKey): Promise<Folded<State>> {
    const before = this.cached(key);
    const end = await this.log.end(key);
    if (before && isBeyond(before.position, end)) this.cache.drop(keyText(key));
    if (end.sequence === 0) return this.cached(key) ?? this.nothing;
    return this.reaching(key, end.sequence);
  }

  /** Takes an event into the cached fold when it is the next one. */
  take(event: StoredEvent<Event>): void {
    const text = keyText(event.key);
    const known = this.cache.get(text) ?? this.nothing;
    if (event.rev !== known.position.rev + 1 || event.sequence <= known.position.sequence) return;
    this.keep(event.key, known, event, { rev: event.rev, sequence: event.sequence });
  }

  /** Takes an event that was just appended on `base`. */
  keep(key: AggregateKey, base: Folded<State>, event: Event, position: Position): void {
    this.cache.advance(keyText(key), { state: this.fold.evolve(base.state, event), position });
  }
}

function isBeyond(known: Position, end: Position): boolean {
  return known.sequence > end.sequence || (known.sequence === end.sequence && known.rev !== end.rev);
}
