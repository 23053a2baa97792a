import { LIMITS, keyText, type AggregateKey, type AnyEvent, type NewEvent, type StoredEvent } from '@countersign/contracts';
import { GateError, isGateError, type Decision, type Fold } from '@countersign/kernel';
import type { AggregateStore, Folded, TransactOptions, Transacted } from './aggregate-store.js';
import { backoffMs } from './backoff.js';
import type { EventLog, Position } from './event-log.js';
import { FoldReader } from './fold-reader.js';
import { KeyedLock } from './keyed-lock.js';
import { withoutUndefined } from './without-undefined.js';

export interface AggregateStoreOptions {
  /** Folds kept; the least recently used goes first. */
  readonly cacheEntries?: number;
  /** A clock that never goes back, in milliseconds. */
  readonly now?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly random?: () => number;
  /** Ends what is tried for ever (`untilItLands`) with UNAVAILABLE, at shutdown. */
  readonly signal?: AbortSignal;
}

/** The store of one kind of aggregate in this process; make it once, or its own appends race each other. */
export function createAggregateStore<State, Event extends AnyEvent>(
  log: EventLog, fold: Fold<State, Event>, options: AggregateStoreOptions = {},
): AggregateStore<State, Event> {
  return new CachingAggregateStore(log, fold, {
    cacheEntries: LIMITS.foldCacheEntries, now: () => performance.now(), sleep: pause, random: Math.random, signal: undefined, ...options,
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type Settings = Required<Omit<AggregateStoreOptions, 'signal'>> & Pick<AggregateStoreOptions, 'signal'>;
type Decide<State, Event extends AnyEvent, Reply> = (folded: Folded<State>) => Decision<Event, Reply> | Promise<Decision<Event, Reply>>;
/** What `decide` said of a fold: an answer, or its refusal. */
type Judged<State, Event extends AnyEvent, Reply> =
  | { readonly on: Folded<State>; readonly decision: Decision<Event, Reply> }
  | { readonly on: Folded<State>; readonly refusal: GateError };
/** `lost`: another writer was there first. */
type Try<Reply> = Transacted<Reply> | 'lost';

class CachingAggregateStore<State, Event extends AnyEvent> implements AggregateStore<State, Event> {
  private readonly reader: FoldReader<State, Event>;
  private readonly lock = new KeyedLock();

  constructor(private readonly log: EventLog, fold: Fold<State, Event>, private readonly settings: Settings) {
    this.reader = new FoldReader(log, fold, settings.cacheEntries, settings.sleep);
  }

  get(key: AggregateKey, atLeast?: number): Promise<Folded<State>> {
    return atLeast === undefined ? this.reader.newer(key) : this.reader.reaching(key, atLeast);
  }

  known(key: AggregateKey): Folded<State> | undefined {
    return this.reader.cached(key);
  }

  fresh(key: AggregateKey): Promise<Folded<State>> {
    return this.reader.confirmed(key);
  }

  observe(event: StoredEvent<Event>): void {
    this.reader.take(event);
  }

  async transact<Reply>(key: AggregateKey, decide: Decide<State, Event, Reply>, options: TransactOptions): Promise<Transacted<Reply>> {
    const startedAt = this.settings.now();
    const leftMs = (): number => (options.untilItLands ? Infinity : LIMITS.contentionMs - (this.settings.now() - startedAt));
    let base = (): Promise<Folded<State>> => this.start(key, options);
    for (let tries = 0; ; tries += 1) {
      const tried = await this.attempt(key, base, decide, options, leftMs());
      if (tried !== 'lost') return tried;
      await this.wait(tries, leftMs(), options);
      base = () => this.afterLoss(key);
    }
  }

  /** One load, decision and append, alone in this process on this aggregate. */
  private async attempt<Reply>(
    key: AggregateKey, base: () => Promise<Folded<State>>, decide: Decide<State, Event, Reply>, options: TransactOptions, leftMs: number,
  ): Promise<Try<Reply>> {
    const release = await this.lock.acquire(keyText(key), leftMs);
    if (!release) throw new GateError('BUSY');
    try {
      return await this.decideAndAppend(key, await this.confirmNegative(key, decide, await judge(decide, await base())), options);
    } catch (error) {
      if (options.untilItLands && isGateError(error, 'UNAVAILABLE')) return 'lost';
      throw error;
    } finally {
      release();
    }
  }

  private async start(key: AggregateKey, { atLeast, presumedNew }: TransactOptions): Promise<Folded<State>> {
    if (atLeast !== undefined) return this.reader.reaching(key, atLeast);
    return this.reader.cached(key) ?? (presumedNew ? this.reader.nothing : this.reader.newer(key));
  }

  /** A plain read may not show yet what was lost to; the leader does. */
  private async afterLoss(key: AggregateKey): Promise<Folded<State>> {
    const lostOn = this.reader.cached(key)?.position.sequence;
    const read = await this.reader.newer(key);
    return read.position.sequence === lostOn ? this.reader.confirmed(key) : read;
  }

  /** A refusal or "nothing to do" stands only on what the leader has: an append would have been proven by its expectation. */
  private async confirmNegative<Reply>(
    key: AggregateKey, decide: Decide<State, Event, Reply>, judged: Judged<State, Event, Reply>,
  ): Promise<Judged<State, Event, Reply>> {
    if ('decision' in judged && judged.decision.event) return judged;
    const confirmed = await this.reader.confirmed(key);
    return samePlace(confirmed.position, judged.on.position) ? judged : judge(decide, confirmed);
  }

  private async decideAndAppend<Reply>(key: AggregateKey, judged: Judged<State, Event, Reply>, options: TransactOptions): Promise<Try<Reply>> {
    if ('refusal' in judged) throw judged.refusal;
    const { on, decision: { event, reply } } = judged;
    if (!event) return { reply, position: on.position, appended: false };
    const result = await this.log.append(key, on.position, { ...event, meta: options.meta } as NewEvent<Event>);
    if (!result.appended) return 'lost';
    this.reader.keep(key, on, asStored(event), result.position);
    return { reply, position: result.position, appended: true };
  }

  private async wait(tries: number, leftMs: number, options: TransactOptions): Promise<void> {
    if (this.settings.signal?.aborted) throw new GateError('UNAVAILABLE', 'This process is shutting down');
    const { random } = this.settings;
    const ms = backoffMs(tries, { firstMs: 2, capMs: options.untilItLands ? 1_000 : 100, random });
    if (ms >= leftMs) throw new GateError('BUSY');
    await this.settings.sleep(ms);
  }
}

async function judge<State, Event extends AnyEvent, Reply>(
  decide: Decide<State, Event, Reply>, on: Folded<State>,
): Promise<Judged<State, Event, Reply>> {
  try {
    return { on, decision: await decide(on) };
  } catch (error) {
    if (isGateError(error)) return { on, refusal: error };
    throw error;
  }
}

/** As whoever loads it will fold it: without `undefined` members. What has none is taken as it is. */
const asStored = <Event extends AnyEvent>(event: Event): Event => ({ type: event.type, data: withoutUndefined(event.data) }) as Event;

const samePlace = (a: Position, b: Position): boolean => a.sequence === b.sequence && a.rev === b.rev;
