import { eventSubject, sessionKey, type AggregateKey, type NewEvent, type StoredEvent } from '@countersign/contracts';
import { InMemoryBroker, InMemoryEventLog, subjectMatches } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { MemoryFeed } from '../spec-support/memory-gate.js';
import { START, type Cursor } from './cursor.js';
import { LogFollower, sessionScope, tenantScope, type Followed } from './log-follower.js';

const S = 's0123456789';
const meta = { actor: 'service:planner', correlationId: 'spec' };

function world() {
  const broker = new InMemoryBroker();
  const feed = new MemoryFeed(broker);
  const log = new InMemoryEventLog('planner', broker);
  const world = { broker, feed, log, hidden: 0, reads: 0, unreadable: new Set<number>() };
  const parts = {
    log, feed,
    history: {
      async *from(stream: 'GATE' | 'CATALOG', filter: string, after: number) {
        world.reads += 1;
        const all = broker.all(stream);
        for (const event of all.slice(0, all.length - world.hidden)) {
          if (event.sequence <= after || !subjectMatches(filter, eventSubject(event.key, event.author, event.rev))) continue;
          if (world.unreadable.has(event.sequence)) throw new GateError('EVENT_UNREADABLE', 'newer', { stream, sequence: event.sequence, subject: 'x' });
          yield event;
        }
      },
    },
  };
  const append = async (key: AggregateKey, count = 1): Promise<void> => {
    for (let done = 0; done < count; done += 1) {
      await log.append(key, await log.end(key), { type: 'session.Ended', data: { by: 'x', reason: String(done), at: 'now' }, meta } as NewEvent);
    }
  };
  return Object.assign(world, { parts, append });
}

/** Reads until `count` events came; what was read and where it ended. */
async function take(follower: LogFollower, count: number, onEach: (event: StoredEvent) => void | Promise<void> = () => undefined): Promise<{ seen: number[]; cursor: Cursor }> {
  const over = new AbortController();
  const seen: number[] = [];
  let last: Followed = { cursor: START };
  for await (const followed of follower.follow(over.signal, 30)) {
    last = followed;
    if (!followed.event) continue;
    seen.push(followed.event.sequence);
    await onEach(followed.event);
    if (seen.length >= count) over.abort();
  }
  return { seen, cursor: last.cursor };
}

const until = async (met: () => boolean): Promise<void> => { while (!met()) await new Promise((resolve) => setTimeout(resolve, 1)); };
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, index) => first + index);

describe('following the log', () => {
  it('gives what there is and then what comes, each once and in order', async () => {
    const { parts, append } = world();
    await append(sessionKey('acme', S), 3);
    const { seen, cursor } = await take(new LogFollower(parts, sessionScope('acme', S), START), 6, async (event) => { if (event.sequence === 3) await append(sessionKey('acme', S), 3); });
    expect(seen).toEqual(upTo(6));
    expect(cursor.GATE).toBe(6);
  });

  it('has neither gap nor duplicate over reconnects while others write', async () => {
    const { parts, append } = world();
    const writing = (async () => { for (let i = 0; i < 60; i += 1) { await append(sessionKey('acme', i % 2 ? S : 's9999999999')); await new Promise((resolve) => setTimeout(resolve, 1)); } })();
    const all: number[] = [];
    for (let cursor: Cursor = START; all.length < 60;) {
      const read = await take(new LogFollower(parts, tenantScope('acme'), cursor), Math.min(7, 60 - all.length));
      all.push(...read.seen);
      cursor = read.cursor;
    }
    await writing;
    expect(all).toEqual(upTo(60));
  });

  it('reads the log again when the feed has lost something', async () => {
    const { parts, feed, append } = world();
    await append(sessionKey('acme', S));
    let live = false;
    const reading = take(new LogFollower(parts, sessionScope('acme', S), START), 5, () => { live = true; });
    await until(() => live);
    feed.losing = true;
    await append(sessionKey('acme', S), 2);
    feed.losing = false;
    feed.missed();
    await append(sessionKey('acme', S), 2);
    expect((await reading).seen).toEqual(upTo(5));
  });

  it('finds by itself what a silent loss has swallowed, when it is quiet', async () => {
    const { parts, feed, append } = world();
    await append(sessionKey('acme', S));
    let live = false;
    const reading = take(new LogFollower(parts, sessionScope('acme', S), START), 3, () => { live = true; });
    await until(() => live);
    feed.losing = true;
    await append(sessionKey('acme', S), 2);
    expect((await reading).seen).toEqual([1, 2, 3]);
  });

  it('does not pass over what a lagging read does not show yet', async () => {
    const lagging = world();
    await lagging.append(sessionKey('acme', S), 4);
    lagging.hidden = 2;
    const reading = take(new LogFollower(lagging.parts, sessionScope('acme', S), START), 4);
    await until(() => lagging.reads > 2);
    lagging.hidden = 0;
    expect((await reading).seen).toEqual(upTo(4));
  });

  it('goes back to the log instead of buffering without end', async () => {
    const burst = world();
    await burst.append(sessionKey('acme', S));
    let readsBefore = 0;
    const follower = new LogFollower(burst.parts, sessionScope('acme', S), { GATE: 1, CATALOG: 0 }, 10);
    const reading = take(follower, 60, async (event) => {
      if (event.sequence !== 2) return;
      readsBefore = burst.reads;
      await burst.append(sessionKey('acme', S), 59);
    });
    await until(() => burst.feed.size === 1);
    await burst.append(sessionKey('acme', S));
    expect((await reading).seen).toEqual(upTo(61, 2));
    expect(burst.reads).toBeGreaterThan(readsBefore);
  });

  it('tells the place of what cannot be read, and goes on behind it', async () => {
    const { parts, append, unreadable } = world();
    for (const sequence of [1, 3, 4, 6]) unreadable.add(sequence);
    await append(sessionKey('acme', S), 6);
    const over = new AbortController();
    const told: [string, number][] = [];
    for await (const { event, unreadable: passed, cursor } of new LogFollower(parts, sessionScope('acme', S), START).follow(over.signal, 30)) {
      if (event) told.push(['read', event.sequence]);
      if (passed) told.push([`not read in ${passed.stream}`, passed.sequence]);
      expect(cursor.GATE).toBe(told.at(-1)![1]);
      if (cursor.GATE === 6) over.abort();
    }
    expect(told).toEqual([['not read in GATE', 1], ['read', 2], ['not read in GATE', 3], ['not read in GATE', 4], ['read', 5], ['not read in GATE', 6]]);
  });

  it('ends with any other fault of the log', async () => {
    const { parts, append, unreadable } = world();
    unreadable.add(1);
    await append(sessionKey('acme', S), 1);
    const failing = (error: GateError) => take(new LogFollower({ ...parts, history: { from: () => { throw error; } } }, sessionScope('acme', S), START), 1);
    await expect(failing(new GateError('UNAVAILABLE'))).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(failing(new GateError('EVENT_UNREADABLE'))).rejects.toMatchObject({ code: 'EVENT_UNREADABLE' });
    await expect(failing(new GateError('EVENT_UNREADABLE', 'before', { sequence: 0 }))).rejects.toMatchObject({ code: 'EVENT_UNREADABLE' });
  });

  it('gives a tenant nothing of another', async () => {
    const { parts, append } = world();
    await append(sessionKey('other', S), 2);
    await append(sessionKey('acme', S), 1);
    expect((await take(new LogFollower(parts, tenantScope('acme'), START), 1)).seen).toEqual([3]);
  });

  it('leaves the feed when it is over', async () => {
    const { parts, feed, append } = world();
    await append(sessionKey('acme', S));
    await take(new LogFollower(parts, sessionScope('acme', S), START), 1);
    expect(feed.size).toBe(0);
  });
});
