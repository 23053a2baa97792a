import type { AggregateKey, AnyEvent, NewEvent, PlanEvent } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { META, newKey } from './contract-suite.js';
import { GroupedWriter, InMemoryBroker, InMemoryEventLog, createAggregateStore, type AppendResult, type Position } from './index.js';

type Names = ReadonlySet<string>;
const fold = { initial: new Set<string>() as Names, evolve: (names: Names, event: PlanEvent): Names => (event.type === 'plan.ItemsExpired' ? new Set([...names, ...event.data.items]) : names) };

/** As slow as a log with a disk, so that writers pile up; and as strict about size as the real one. */
class SlowLog extends InMemoryEventLog {
  appends = 0;
  override async append<E extends AnyEvent>(key: AggregateKey, expected: Position, event: NewEvent<E>): Promise<AppendResult> {
    this.appends += 1;
    await new Promise((resolve) => setTimeout(resolve, 1));
    return super.append(key, expected, event);
  }
}

function decideMany(state: Names, commands: readonly string[]) {
  const items: string[] = [];
  const replies = commands.map((name) => {
    if (name.startsWith('bad')) return new GateError('INPUT_INVALID', name);
    if (name.startsWith('broken')) throw new TypeError('cannot be decided');
    if (state.has(name) || items.includes(name)) return `${name} was there`;
    items.push(name);
    return `${name} is new`;
  });
  return { ...(items.length > 0 ? { event: { type: 'plan.ItemsExpired', data: { items, at: '2030-01-01T00:00:00Z' } } as const } : {}), replies };
}

describe('a grouped writer', () => {
  const make = (broker = new InMemoryBroker(), options = {}) => {
    const log = new SlowLog('planner', broker);
    const store = createAggregateStore<Names, PlanEvent>(log, fold);
    return { log, store, writer: new GroupedWriter({ store, decideMany, meta: () => META, ...options }) };
  };

  it('takes 200 answers of 20 answerers in few appends and gives each its own reply', async () => {
    const { log, store, writer } = make();
    const key = newKey();
    const answerer = async (who: number): Promise<string[]> => {
      const replies: string[] = [];
      for (let item = 0; item < 10; item += 1) replies.push((await writer.write(key, `i${who * 10 + item}`)).reply);
      return replies;
    };
    const replies = await Promise.all(Array.from({ length: 20 }, (_, who) => answerer(who)));
    expect(replies.flat()).toEqual(Array.from({ length: 200 }, (_, item) => `i${item} is new`));
    expect((await store.fresh(key)).state.size).toBe(200);
    expect(log.appends).toBeLessThanOrEqual(22);
  });

  it('does so with a second process writing to the same aggregate', async () => {
    const broker = new InMemoryBroker();
    const [one, two] = [make(broker), make(broker)];
    const key = newKey();
    const replies = await Promise.all(Array.from({ length: 100 }, (_, item) => (item % 2 ? one : two).writer.write(key, `i${item}`)));
    expect(replies.filter(({ reply }) => reply.endsWith('is new'))).toHaveLength(100);
    expect((await one.store.fresh(key)).state.size).toBe(100);
    expect(one.log.appends + two.log.appends).toBeLessThan(20);
  });

  it('refuses one command without refusing its neighbours, and says the position of what was done', async () => {
    const { writer } = make();
    const key = newKey();
    const [good, bad, again] = await Promise.allSettled([writer.write(key, 'a'), writer.write(key, 'bad'), writer.write(key, 'a')]);
    expect(good).toMatchObject({ status: 'fulfilled', value: { reply: 'a is new', appended: true, position: { rev: 1 } } });
    expect(bad).toMatchObject({ status: 'rejected', reason: { code: 'INPUT_INVALID' } });
    expect(again).toMatchObject({ status: 'fulfilled', value: { reply: 'a was there', position: { rev: 1 } } });
  });

  it('does not refuse or repeat on a fold behind the leader', async () => {
    const broker = new InMemoryBroker();
    const [one, two] = [make(broker), make(broker)];
    const key = newKey();
    await one.writer.write(key, 'a');
    await two.writer.write(key, 'b');
    await expect(one.writer.write(key, 'b')).resolves.toMatchObject({ reply: 'b was there', appended: false, position: { rev: 2 } });
  });

  it('lets a command that cannot be decided fail alone', async () => {
    const { writer } = make();
    const key = newKey();
    const settled = await Promise.allSettled(['first', 'a', 'b', 'broken', 'c', 'd'].map((name) => writer.write(key, name)));
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });

  it('splits what does not fit one event', async () => {
    const { log, store, writer } = make();
    const key = newKey();
    const large = (name: string) => name + 'x'.repeat(60 * 1024);
    const written = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => writer.write(key, large(name))));
    expect(written.every(({ reply }) => reply.endsWith('is new'))).toBe(true);
    expect((await store.fresh(key)).state.size).toBe(9);
    expect(log.appends).toBeLessThan(9);
  });

  it('never puts more than its maximum into one event, and waits for company only when told to', async () => {
    const { log, writer } = make(undefined, { maxItems: 4, lingerMs: 5 });
    const key = newKey();
    await Promise.all(Array.from({ length: 8 }, (_, item) => writer.write(key, `i${item}`)));
    expect(log.appends).toBe(2);
  });
});
