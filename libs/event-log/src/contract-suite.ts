import { randomBytes } from 'node:crypto';
import {
  LIMITS, planKey, planIdFrom, sessionFilter, sessionKey, streamOf, tenantFilter, tenantKey,
  type AggregateKey, type EventMeta, type LogStream, type NewEvent, type PlanEvent, type ServiceName, type StoredEvent,
} from '@countersign/contracts';
import fc from 'fast-check';
import { NOWHERE, createAggregateStore, encodeEvent, type EncodedEvent, type EventLog, type Loaded, type Position } from './index.js';

/** A log of its own for one run of the suite. */
export interface LogUnderTest {
  /** A writer of its own: two calls are two processes. */
  open(author: ServiceName): Promise<EventLog>;
  /** Stores anything, past every rule of `EventLog`. */
  forge(stream: LogStream, event: EncodedEvent): Promise<number>;
  close(): Promise<void>;
}

export interface ContractOptions {
  /** Races run; default 50. */
  readonly races?: number;
}

/** What every implementation of `EventLog` must do. Run it in a spec of its own for each. */
export function eventLogContract(name: string, makeLog: () => Promise<LogUnderTest>, { races = 50 }: ContractOptions = {}): void {
  describe(`event log: ${name}`, () => {
    let under: LogUnderTest;
    const writers = {} as Record<'planner' | 'preview-fanout' | 'policy', EventLog>;

    beforeAll(async () => {
      under = await makeLog();
      for (const author of ['planner', 'preview-fanout', 'policy'] as const) writers[author] = await under.open(author);
    });
    afterAll(() => under?.close());

    appending(() => writers, { races });
    reading(() => writers, () => under);
    storing(() => under);
  });
}

type Writers = Record<'planner' | 'preview-fanout' | 'policy', EventLog>;

export const META: EventMeta = { actor: 'service:planner', correlationId: 'c1' };
export const closed = (by = 'x', meta: EventMeta = META): NewEvent<PlanEvent> => ({ type: 'plan.Closed', data: { reason: 'cancelled', by, at: '2030-01-01T00:00:00Z' }, meta });
const previewed = (): NewEvent<PlanEvent> => ({ type: 'plan.Previewed', data: { items: [] }, meta: META });
const evaluated = (round: number): NewEvent<PlanEvent> => ({
  type: 'plan.Evaluated',
  data: { round, items: [], bundle: { version: 1, digest: 'd' }, saw: { session: 0, catalogue: 0 }, evaluatedAt: '2030-01-01T00:00:00Z', engine: 'e' },
  meta: META,
});
const hex = (): string => randomBytes(12).toString('hex');
/** An aggregate nobody has written to. */
export const newKey = (): AggregateKey => planKey('acme', planIdFrom(`s${hex()}`, hex()));

async function appended(log: EventLog, key: AggregateKey, expected: Position, event: NewEvent): Promise<Position> {
  const result = await log.append(key, expected, event);
  if (!result.appended) throw new Error('an append that nothing stood against was told of a conflict');
  return result.position;
}

/** A load that shows `upTo`: on another replica a read may be behind an acknowledgement for a while. */
async function loaded(log: EventLog, key: AggregateKey, upTo: Position, after?: Position): Promise<Loaded<PlanEvent>> {
  for (let tries = 0; ; tries += 1) {
    const read = await log.load<PlanEvent>(key, after);
    if (read.position.sequence >= upTo.sequence || tries === 100) return read;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The refusal of a load, waiting as `loaded` does for what is forged to be seen. */
async function refusal(log: EventLog, key: AggregateKey, forged: number, after?: Position): Promise<unknown> {
  try {
    await loaded(log, key, { rev: 0, sequence: forged }, after);
  } catch (error) {
    return error;
  }
  throw new Error('an aggregate that cannot be read was read');
}

function appending(writers: () => Writers, { races }: { races: number }): void {
  it('gives revisions 1, 2, … over several authors and says where the aggregate ends', async () => {
    const { planner, policy, 'preview-fanout': fanout } = writers();
    const key = newKey();
    const first = await appended(planner, key, NOWHERE, closed());
    const second = await appended(fanout, key, first, previewed());
    const third = await appended(policy, key, second, evaluated(1));
    expect([first.rev, second.rev, third.rev]).toEqual([1, 2, 3]);
    expect(await planner.end(key)).toEqual(third);
    const { events, position } = await loaded(policy, key, third);
    expect(events.map(({ rev, author, type }) => [rev, author, type])).toEqual([
      [1, 'planner', 'plan.Closed'], [2, 'preview-fanout', 'plan.Previewed'], [3, 'policy', 'plan.Evaluated'],
    ]);
    expect(position).toEqual(third);
  });

  it('refuses a stale and a future expectation, writes nothing for them, and accepts the right one afterwards', async () => {
    const { planner, policy } = writers();
    const key = newKey();
    const first = await appended(planner, key, NOWHERE, closed());
    const second = await appended(policy, key, first, evaluated(1));
    for (const wrong of [NOWHERE, first, { rev: 3, sequence: second.sequence + 1_000 }]) {
      expect(await planner.append(key, wrong, closed())).toEqual({ appended: false, conflict: true });
    }
    expect(await planner.end(key)).toEqual(second);
    expect((await appended(planner, key, second, closed())).rev).toBe(3);
  });

  it(`lets exactly one of several writers win, in ${races} races`, async () => {
    const { planner, policy, 'preview-fanout': fanout } = writers();
    const key = newKey();
    let at = NOWHERE;
    for (let race = 1; race <= races; race += 1) {
      const results = await Promise.all([
        planner.append(key, at, closed()), policy.append(key, at, evaluated(race)), fanout.append(key, at, previewed()), planner.append(key, at, closed()),
      ]);
      const winners = results.flatMap((result) => (result.appended ? [result.position] : []));
      expect(winners).toHaveLength(1);
      at = winners[0]!;
      expect(at.rev).toBe(race);
    }
    expect(await planner.end(key)).toEqual(at);
  });

  it('keeps aggregates apart whose ids begin alike', async () => {
    const { planner } = writers();
    const long = newKey();
    const short = { ...long, id: long.id.slice(0, -1) };
    const end = await appended(planner, long, NOWHERE, closed('long'));
    expect(await planner.load(short)).toEqual({ events: [], position: NOWHERE });
    expect(await planner.end(short)).toEqual(NOWHERE);
    const shortEnd = await appended(planner, short, NOWHERE, closed('short'));
    expect(await planner.end(long)).toEqual(end);
    expect((await loaded(planner, short, shortEnd)).events.map(({ data }) => data)).toMatchObject([{ by: 'short' }]);
  });

  it('refuses what is too large, too long, foreign or no name, and writes nothing', async () => {
    const { planner } = writers();
    const key = newKey();
    const refusals: [Promise<unknown>, string][] = [
      [planner.append(key, NOWHERE, closed('x'.repeat(LIMITS.eventBytes))), 'BODY_TOO_LARGE'],
      [planner.append(key, { rev: LIMITS.aggregateRevisions, sequence: 5 }, closed()), 'AGGREGATE_TOO_LONG'],
      [planner.append(key, NOWHERE, evaluated(1)), 'INTERNAL'],
      [planner.append(tenantKey('acme'), NOWHERE, closed()), 'INTERNAL'],
      [planner.append({ ...key, id: '*' }, NOWHERE, closed()), 'INVALID_REQUEST'],
      [planner.load({ ...key, session: 'a.b' }), 'INVALID_REQUEST'],
      [planner.end({ ...key, tenant: '>' }), 'INVALID_REQUEST'],
    ];
    for (const [refused, code] of refusals) await expect(refused).rejects.toMatchObject({ code });
    expect(await planner.end(key)).toEqual(NOWHERE);
    const roomy = await appended(planner, key, NOWHERE, closed('x'.repeat(LIMITS.eventBytes - 200)));
    expect(roomy.rev).toBe(1);
  });
}

function reading(writers: () => Writers, under: () => LogUnderTest): void {
  it('gives back what was appended, with line breaks and any script in its headers', async () => {
    const { planner } = writers();
    const key = newKey();
    const meta: EventMeta = { actor: 'person:zoë\r\nce-type: plan.Evaluated', correlationId: ' ünï %41 ', causationId: 'GATE:7', traceparent: '00-ab-cd-01' };
    const position = await appended(planner, key, NOWHERE, closed('é', meta));
    const [event] = (await loaded(planner, key, position)).events;
    expect(event).toMatchObject({
      type: 'plan.Closed', data: { by: 'é' }, meta, key, author: 'planner', version: 1, stream: 'GATE', rev: 1, sequence: position.sequence,
    });
    expect(event!.id).not.toBe('');
    expect(Math.abs(Date.parse(event!.time) - Date.now())).toBeLessThan(60_000);
  });

  it('loads only what is newer than a position', async () => {
    const { planner } = writers();
    const key = newKey();
    const positions = [NOWHERE];
    for (let rev = 1; rev <= 5; rev += 1) positions.push(await appended(planner, key, positions.at(-1)!, closed(String(rev))));
    for (const after of positions) {
      const { events, position } = await loaded(planner, key, positions.at(-1)!, after);
      expect(events.map(({ rev }) => rev)).toEqual([1, 2, 3, 4, 5].filter((rev) => rev > after.rev));
      expect(position).toEqual(positions.at(-1));
    }
  });

  it('folds to the same state however a history is split', async () => {
    const { planner } = writers();
    const key = newKey();
    const positions = [NOWHERE];
    for (let rev = 1; rev <= 12; rev += 1) positions.push(await appended(planner, key, positions.at(-1)!, closed(String(rev * rev))));
    const fold = (state: readonly string[], events: readonly StoredEvent<PlanEvent>[]): readonly string[] =>
      events.reduce((sum, event) => [...sum, `${sum.length}:${JSON.stringify(event.data)}`], state);
    const whole = fold([], (await loaded(planner, key, positions[12]!)).events);
    await fc.assert(fc.asyncProperty(fc.uniqueArray(fc.nat({ max: 12 }), { maxLength: 6 }), async (cuts) => {
      let state: readonly string[] = [];
      let at = NOWHERE;
      for (const cut of [...cuts].sort((a, b) => a - b).concat(12)) {
        const { events } = await loaded(planner, key, positions[12]!, at);
        const part = events.filter(({ rev }) => rev <= cut);
        state = fold(state, part);
        at = positions[cut]!;
      }
      expect(state).toEqual(whole);
    }), { numRuns: 25 });
  });

  it('says the last sequence of a filter', async () => {
    const { planner } = writers();
    const tenant = `t${hex()}`;
    expect(await planner.lastSequence('CATALOG', tenantFilter(tenant))).toBe(0);
    const { sequence } = await appended(planner, tenantKey(tenant), NOWHERE, {
      type: 'tenant.Registered', data: { name: tenant, localProcesses: false, keys: [], at: '2030-01-01T00:00:00Z' }, meta: META,
    });
    expect(await planner.lastSequence('CATALOG', tenantFilter(tenant))).toBe(sequence);
    expect(await planner.lastSequence('GATE', tenantFilter(tenant))).toBe(0);
  });

  it('follows a filter from a sequence on, over several aggregates and authors, in the order of the stream', async () => {
    const { planner, policy } = writers();
    const [one, other] = [newKey(), newKey()];
    const beside = planKey('acme', planIdFrom(one.session, hex()));
    const first = await appended(planner, one, NOWHERE, closed('1'));
    await appended(planner, other, NOWHERE, closed('other session'));
    const second = await appended(planner, beside, NOWHERE, closed('2'));
    const third = await appended(policy, one, first, evaluated(1));
    const followed = async (after: number): Promise<unknown[]> => {
      const found: unknown[] = [];
      for await (const { key, sequence } of planner.follow('GATE', sessionFilter('acme', one.session), after)) found.push([key.id, sequence]);
      return found;
    };
    const all = [[one.id, first.sequence], [beside.id, second.sequence], [one.id, third.sequence]];
    expect(await followed(0)).toEqual(all);
    expect(await followed(first.sequence)).toEqual(all.slice(1));
    expect(await followed(third.sequence)).toEqual([]);
  });

  it('follows past no event that cannot be read', async () => {
    const { planner } = writers();
    const key = newKey();
    await appended(planner, key, NOWHERE, closed());
    const unknown = encodeEvent(key, 'planner', 2, closed(), { id: hex(), time: new Date().toISOString() });
    await under().forge('GATE', { ...unknown, headers: { ...unknown.headers, 'ce-type': 'plan.Vanished' } });
    const all = async (): Promise<void> => { for await (const event of planner.follow('GATE', sessionFilter('acme', key.session), 0)) void event; };
    await expect(all()).rejects.toMatchObject({ code: 'EVENT_UNREADABLE' });
  });

  const forgeries: [string, (event: EncodedEvent) => EncodedEvent][] = [
    ['of an unknown type', (event) => ({ ...event, headers: { ...event.headers, 'ce-type': 'plan.Vanished' } })],
    ['named like a member of every object', (event) => ({ ...event, headers: { ...event.headers, 'ce-type': 'constructor' } })],
    ['of a newer version', (event) => ({ ...event, headers: { ...event.headers, 'ce-dataversion': '2' } })],
    ['of no version', (event) => ({ ...event, headers: { ...event.headers, 'ce-dataversion': '' } })],
    ['whose type its author may not write', (event) => ({ ...event, headers: { ...event.headers, 'ce-type': 'plan.Evaluated' } })],
    ['of another tenant', (event) => ({ ...event, headers: { ...event.headers, 'ce-tenant': 'other' } })],
    ['without JSON', (event) => ({ ...event, body: Buffer.from('{"reason":') })],
    ['without a body', (event) => ({ ...event, body: Buffer.alloc(0) })],
    ['without headers', (event) => ({ ...event, headers: {} })],
  ];
  it.each(forgeries)('reads no aggregate with an event %s', async (_, change) => {
    const { planner } = writers();
    const key = newKey();
    const first = await appended(planner, key, NOWHERE, closed());
    const sequence = await under().forge(streamOf(key), change(encodeEvent(key, 'planner', 2, closed(), { id: hex(), time: new Date().toISOString() })));
    for (const after of [NOWHERE, first]) {
      expect(await refusal(planner, key, sequence, after)).toMatchObject({ code: 'EVENT_UNREADABLE', details: { stream: 'GATE', sequence } });
    }
  });

  it.each([[3], [1]])('reads no aggregate that goes from revision 1 to %i', async (rev) => {
    const { planner } = writers();
    const key = newKey();
    await appended(planner, key, NOWHERE, closed());
    const double = encodeEvent(key, rev === 1 ? 'preview-fanout' : 'planner', rev, rev === 1 ? previewed() : closed(), { id: hex(), time: new Date().toISOString() });
    const sequence = await under().forge('GATE', double);
    expect(await refusal(planner, key, sequence)).toMatchObject({ code: 'AGGREGATE_TRUNCATED', details: { found: rev, expected: 2 } });
  });

  it('reads no aggregate whose first event is missing', async () => {
    const { planner } = writers();
    const key = newKey();
    const sequence = await under().forge('GATE', encodeEvent(key, 'planner', 2, closed(), { id: hex(), time: new Date().toISOString() }));
    expect(await refusal(planner, key, sequence)).toMatchObject({ code: 'AGGREGATE_TRUNCATED' });
  });
}

function storing(under: () => LogUnderTest): void {
  it('loses no decision of several stores that write to one aggregate at once', async () => {
    const key = sessionKey('acme', `s${hex()}`);
    const counter = { initial: 0, evolve: (count: number) => count + 1 };
    const stores = await Promise.all([1, 2, 3].map(async () => createAggregateStore(await under().open('planner'), counter)));
    const replies = await Promise.all(stores.flatMap((store) => Array.from({ length: 10 }, () => store.transact(key, ({ state }) => ({
      event: { type: 'session.Ended', data: { by: 'x', reason: String(state), at: '2030-01-01T00:00:00Z' } }, reply: state,
    }), { meta: META, untilItLands: true }))));
    expect(replies.map(({ reply }) => reply).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, index) => index));
    for (const store of stores) expect((await store.fresh(key)).state).toBe(30);
  });
}
