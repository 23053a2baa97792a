import type { AggregateKey, AnyEvent, NewEvent, PlanEvent } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { META, closed, newKey } from './contract-suite.js';
import { InMemoryBroker, InMemoryEventLog, NOWHERE, createAggregateStore, type AppendResult, type Loaded, type Position } from './index.js';

/** Counts, and can be told to stumble. */
class WatchedLog extends InMemoryEventLog {
  readonly calls = { load: 0, end: 0, append: 0 };
  before: { append?: () => unknown } = {};
  override load<E extends AnyEvent>(key: AggregateKey, after?: Position): Promise<Loaded<E>> {
    this.calls.load += 1;
    return super.load<E>(key, after);
  }
  override end(key: AggregateKey): Promise<Position> {
    this.calls.end += 1;
    return super.end(key);
  }
  override async append<E extends AnyEvent>(key: AggregateKey, expected: Position, event: NewEvent<E>): Promise<AppendResult> {
    this.calls.append += 1;
    await this.before.append?.();
    return super.append(key, expected, event);
  }
}

const fold = { initial: [] as readonly string[], evolve: (names: readonly string[], event: PlanEvent) => [...names, event.type === 'plan.Closed' ? event.data.by : event.type] };
const close = (by: string) => ({ event: { type: 'plan.Closed', data: { reason: 'cancelled', by, at: '2030-01-01T00:00:00Z' } } as const, reply: by });

describe('an aggregate store', () => {
  let broker: InMemoryBroker;
  let log: WatchedLog;
  let other: InMemoryEventLog;
  let clock: number;
  const waits: number[] = [];
  const make = (options = {}) => createAggregateStore(log, fold, {
    now: () => clock, sleep: async (ms) => { waits.push(ms); clock += ms; }, random: () => 0.5, ...options,
  });
  const behindOurBack = async (key: ReturnType<typeof newKey>, by: string): Promise<Position> => {
    const result = await other.append(key, await other.end(key), closed(by));
    if (!result.appended) throw new Error('nothing stood against it');
    return result.position;
  };

  beforeEach(() => {
    broker = new InMemoryBroker();
    log = new WatchedLog('planner', broker);
    other = new InMemoryEventLog('planner', broker);
    clock = 0;
    waits.length = 0;
  });

  it('decides on what it holds without reading, as long as that is proven by the append', async () => {
    const store = make();
    const key = newKey();
    await store.transact(key, () => close('a'), { meta: META });
    const reads = { ...log.calls };
    const second = await store.transact(key, ({ state }) => close(`${state.join()}+b`), { meta: META });
    expect(second).toMatchObject({ reply: 'a+b', appended: true, position: { rev: 2 } });
    expect(log.calls).toEqual({ load: reads.load, end: reads.end, append: reads.append + 1 });
  });

  it('decides again after a conflict, on what the other writer did', async () => {
    const store = make();
    const key = newKey();
    await store.get(key);
    await behindOurBack(key, 'theirs');
    const { reply, position } = await store.transact(key, ({ state }) => close(`${state.join()}+mine`), { meta: META });
    expect(reply).toBe('theirs+mine');
    expect(position.rev).toBe(2);
    expect(waits).toHaveLength(1);
  });

  it('does not refuse on a fold that is behind the leader', async () => {
    const store = make();
    const key = newKey();
    await store.get(key);
    await behindOurBack(key, 'theirs');
    const decide = ({ state }: { state: readonly string[] }) => {
      if (!state.includes('theirs')) throw new GateError('NOT_FOUND');
      return close('mine');
    };
    expect((await store.transact(key, decide, { meta: META })).reply).toBe('mine');
  });

  it('does not say "nothing to do" on a fold that is behind the leader, and says it on one that is not', async () => {
    const store = make();
    const key = newKey();
    await store.get(key);
    const position = await behindOurBack(key, 'theirs');
    const decide = ({ state }: { state: readonly string[] }) => (state.length === 1 ? close('mine') : { reply: `nothing after ${state.length}` });
    expect(await store.transact(key, decide, { meta: META })).toMatchObject({ reply: 'mine', appended: true });
    expect(await store.transact(key, decide, { meta: META })).toEqual({ reply: 'nothing after 2', appended: false, position: { rev: 2, sequence: position.sequence + 1 } });
  });

  it('lets a refusal stand that the leader confirms, and a fault at once', async () => {
    const store = make();
    const key = newKey();
    await behindOurBack(key, 'a');
    let asked = 0;
    await expect(store.transact(key, () => { asked += 1; throw new GateError('NOT_ASKED'); }, { meta: META })).rejects.toMatchObject({ code: 'NOT_ASKED' });
    expect(asked).toBe(1);
    await expect(store.transact(key, () => { throw new TypeError('a bug'); }, { meta: META })).rejects.toThrow(TypeError);
    expect((await store.transact(key, () => close('free again'), { meta: META })).appended).toBe(true);
  });

  it('reads only what is newer, and returns no less than it is asked for while the log lags', async () => {
    const store = make();
    const key = newKey();
    const first = await behindOurBack(key, 'a');
    expect((await store.get(key, first.sequence)).state).toEqual(['a']);
    const second = await behindOurBack(key, 'b');
    broker.lag(1);
    expect((await store.get(key)).state).toEqual(['a']);
    await expect(store.get(key, second.sequence)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(store.fresh(key)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(store.transact(key, () => close('x'), { meta: META, atLeast: second.sequence })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    broker.lag(0);
    expect((await store.get(key, second.sequence)).state).toEqual(['a', 'b']);
    const { load } = log.calls;
    expect((await store.get(key, second.sequence)).state).toEqual(['a', 'b']);
    expect(log.calls.load).toBe(load);
  });

  it('folds delivered events that come next and no others', async () => {
    const store = make();
    const key = newKey();
    for (const by of ['a', 'b', 'c']) await behindOurBack(key, by);
    const [first, second, third] = (await other.load<PlanEvent>(key)).events;
    for (const event of [second, first, third, first, second]) store.observe(event!);
    expect(await store.get(key, 2)).toEqual({ state: ['a', 'b'], position: { rev: 2, sequence: 2 } });
    expect(log.calls.load).toBe(0);
  });

  it('is BUSY after two seconds of losing, and goes on when it must land', async () => {
    const store = make();
    const key = newKey();
    let interference = 100;
    log.before.append = async () => { if (interference-- > 0) await behindOurBack(key, 'theirs'); };
    await expect(store.transact(key, () => close('mine'), { meta: META })).rejects.toMatchObject({ code: 'BUSY' });
    expect(clock).toBeGreaterThan(1_800);
    expect(clock).toBeLessThanOrEqual(2_000);
    expect((await store.transact(key, () => close('mine'), { meta: META, untilItLands: true })).appended).toBe(true);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_000);
  });

  it('keeps trying while the log is away when it must land, until the process shuts down', async () => {
    const shutdown = new AbortController();
    const store = make({ signal: shutdown.signal });
    let failures = 30;
    log.before.append = () => { if (failures-- > 0) throw new GateError('UNAVAILABLE'); };
    expect((await store.transact(newKey(), () => close('mine'), { meta: META, untilItLands: true })).appended).toBe(true);
    failures = Infinity;
    await expect(store.transact(newKey(), () => close('mine'), { meta: META })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    log.before.append = () => { shutdown.abort(); throw new GateError('UNAVAILABLE'); };
    await expect(store.transact(newKey(), () => close('mine'), { meta: META, untilItLands: true })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('does not let its own writers race', async () => {
    const store = make();
    const key = newKey();
    await Promise.all(Array.from({ length: 50 }, (_, index) => store.transact(key, () => close(String(index)), { meta: META })));
    expect(log.calls.append).toBe(50);
    expect((await store.fresh(key)).position.rev).toBe(50);
    expect(waits).toEqual([]);
  });

  it('forgets a fold of events that the log has lost', async () => {
    const store = make();
    const key = newKey();
    await store.transact(key, () => close('a'), { meta: META });
    await store.transact(key, () => close('b'), { meta: META });
    const restored = new InMemoryEventLog('planner');
    await restored.append(key, NOWHERE, closed('a'));
    log.end = (of) => restored.end(of);
    log.load = (of, after) => restored.load(of, after);
    expect(await store.fresh(key)).toEqual({ state: ['a'], position: { rev: 1, sequence: 1 } });
  });

  it('keeps only the most recently used folds', async () => {
    const store = make({ cacheEntries: 2 });
    const [one, two, three] = [newKey(), newKey(), newKey()];
    for (const key of [one, two]) await store.transact(key, () => close('x'), { meta: META });
    await store.get(one, 1);
    await store.transact(three, () => close('x'), { meta: META });
    const loads: number[] = [];
    for (const key of [one, three, two]) {
      const before = log.calls.load;
      await store.get(key, 1);
      loads.push(log.calls.load - before);
    }
    expect(loads).toEqual([0, 0, 1]);
  });

  it('folds its own event as whoever loads it does', async () => {
    const seen: unknown[] = [];
    const keeping = createAggregateStore(log, { initial: 0, evolve: (count: number, event: PlanEvent) => { seen.push(event.data); return count + 1; } });
    const data = { reason: 'cancelled' as const, by: 'x', at: '2030-01-01T00:00:00Z', extra: undefined };
    await keeping.transact(newKey(), () => ({ event: { type: 'plan.Closed', data }, reply: 0 }), { meta: META });
    expect(seen).toStrictEqual([{ reason: 'cancelled', by: 'x', at: '2030-01-01T00:00:00Z' }]);
  });
});
