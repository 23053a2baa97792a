import { migrateAuditStore, openAuditStore, type AuditStore } from './index.js';
import { TABLES, columnsOf } from './tables.js';
import { AuditDatabases, PASSWORDS, runAs, type AuditDatabase } from '../test/audit-database.js';
import { Tale, plan, session, tenant, timeAt } from '../test/messages.js';
import { AWKWARD, answered, blob, evaluated, inline, life, opened, outcome, proposed, started } from '../test/plan-facts.js';

let databases: AuditDatabases;
let database: AuditDatabase;
let store: AuditStore;

beforeAll(async () => { databases = await AuditDatabases.start(); }, 60_000);
afterAll(() => databases.stop());
beforeEach(async () => {
  database = await databases.create();
  store = await openAuditStore({ url: database.adminUrl, passwords: PASSWORDS });
});
afterEach(() => store.close());

const rows = <Row = Record<string, unknown>>(sql: string): Promise<Row[]> => runAs<Row>(database.adminUrl, sql);
function taleOf(...events: ReturnType<typeof life>): Tale {
  const tale = new Tale();
  tale.tell(session('t1'), opened);
  for (const event of events) tale.tell(plan('t1', 1), event);
  return tale;
}

describe('the migrations', () => {
  it('make the columns that the projection writes, in every table', async () => {
    const found = await rows<{ table: string; columns: string[] }>(`SELECT table_name::text AS table, array_agg(column_name::text ORDER BY ordinal_position) AS columns
      FROM information_schema.columns WHERE table_schema = 'audit' AND table_name IN (${TABLES.map((name) => `'${name}'`)}) GROUP BY 1`);
    expect(Object.fromEntries(found.map(({ table, columns }) => [table, [...columns].sort()])))
      .toEqual(Object.fromEntries(TABLES.map((table) => [table, [...columnsOf(table)].sort()])));
  });

  it('are run once', async () => {
    expect(await migrateAuditStore({ adminUrl: database.adminUrl, passwords: PASSWORDS })).toEqual({ migrations: [] });
  });
});

describe('project', () => {
  it('keeps the event as it stands in the log, and the plan as its approver saw it', async () => {
    const tale = taleOf(...life(['i1', 'i2']));
    const projected = await store.project(tale.messages);
    expect(projected).toEqual({ checkpoints: { GATE: tale.messages.length }, projected: tale.messages.length, repeated: 0, quarantined: [] });
    const log = await rows<{ body: string; subject: string; other_headers: string | null; type: string }>('SELECT * FROM audit.event_log ORDER BY sequence');
    expect(log.map((row) => row.body)).toEqual(tale.messages.map((message) => Buffer.from(message.body).toString('utf8')));
    expect(log.map((row) => row.subject)).toEqual(tale.messages.map((message) => message.subject));
    expect(log.every((row) => row.other_headers === null)).toBe(true);
    const [item] = await rows<Record<string, unknown>>(`SELECT * FROM audit.plan_items WHERE item_id = 'i2'`);
    expect(item).toMatchObject({
      tenant: 't1', session: 'sabcdefgh1', ordinal: 1, kind: 'resource', risk: 'high', category: 'tool', provider: 'files', provider_version: '3',
      operation: 'write_file', description: AWKWARD, traits: '{"previewable":true}', input: JSON.stringify({ n: 1, path: AWKWARD }),
    });
    const counts = await rows(`SELECT (SELECT count(*)::int FROM audit.item_previews) previews, (SELECT count(*)::int FROM audit.item_verdicts) verdicts,
      (SELECT count(*)::int FROM audit.item_answers) answers, (SELECT count(*)::int FROM audit.apply_starts) starts, (SELECT count(*)::int FROM audit.apply_results) results`);
    expect(counts).toEqual([{ previews: 2, verdicts: 2, answers: 2, starts: 2, results: 2 }]);
  });

  it('leaves the input out when it is a blob, and keeps its digest', async () => {
    const tale = taleOf(proposed(['i1'], { input: blob('large') }));
    await store.project(tale.messages);
    expect(await rows('SELECT input, input_digest, input_bytes FROM audit.plan_items')).toEqual([{ input: null, input_digest: blob('large').digest, input_bytes: '5' }]);
  });

  it('keeps what people and providers wrote with NUL in it, bodies exactly and prose as its escape', async () => {
    const withNul = <T>(event: T): T => JSON.parse(JSON.stringify(event).replaceAll('NUL', String.raw`\u0000`)) as T;
    const tale = taleOf(...[
      proposed(['i1'], { description: 'a NUL b', input: inline({ path: 'a\0b' }) }),
      { type: 'plan.Previewed', data: { items: [{ itemId: 'i1', tree: inline({ nodes: ['a\0b'] }), fingerprint: 'a NUL b', tookMs: 1 }] } },
      { type: 'plan.Evaluated', data: { ...evaluated({}).data, items: [{ itemId: 'i1', decision: 'ask', decidedBy: 'policy:r', itemDigest: 'd', message: 'a NUL b' }] } },
      { type: 'plan.ItemsAnswered', data: { answers: (answered('i1', 'approve').data as { answers: object[] }).answers.map((one) => ({ ...one, reason: 'a NUL b' })) } },
      { type: 'plan.ApplyStarted', data: { ...started([]).data, attempts: [{ itemId: 'i1', attempt: 1, fence: 1, idempotencyKey: 'k', expectedFingerprint: 'a NUL b' }] } },
      { type: 'plan.Outcomes', data: { outcomes: [
        { ...(outcome('i1', 'failed').data as { outcomes: object[] }).outcomes[0], result: inline({ text: 'a\0b' }), error: { category: 'other', message: 'a NUL b', retryable: false } },
      ] } },
    ].map((event) => withNul(event)) as ReturnType<typeof life>);
    expect((await store.project(tale.messages)).quarantined).toEqual([]);
    const [kept] = await rows(`SELECT i.description, i.input, i.input_digest, p.tree, p.fingerprint, v.message, a.reason, s.expected_fingerprint, r.result, r.error_message
      FROM audit.plan_items i JOIN audit.item_previews p USING (item_id) JOIN audit.item_verdicts v USING (item_id) JOIN audit.item_answers a USING (item_id)
      JOIN audit.apply_starts s USING (item_id) JOIN audit.apply_results r USING (item_id)`);
    const escaped = String.raw`a \u0000 b`;
    expect(kept).toEqual({
      description: escaped, fingerprint: escaped, message: escaped, reason: escaped, expected_fingerprint: escaped, error_message: escaped,
      input: JSON.stringify({ path: 'a\0b' }), input_digest: inline({ path: 'a\0b' }).digest, tree: JSON.stringify({ nodes: ['a\0b'] }), result: JSON.stringify({ text: 'a\0b' }),
    });
  });

  it('keeps headers that no column says', async () => {
    const tale = new Tale();
    tale.tell(session('t1'), opened, { headers: { extra: ['a', 'b'], ['__proto__']: ['x'], 'ce-time': [timeAt(5), timeAt(6)] } });
    await store.project(tale.messages);
    const [row] = await rows<{ other_headers: string }>('SELECT other_headers FROM audit.event_log');
    expect(row!.other_headers).toBe(`{"__proto__":["x"],"ce-time":["${timeAt(5)}","${timeAt(6)}"],"extra":["a","b"]}`);
  });

  it('skips what was delivered before, in any order and mixed with what is new', async () => {
    const tale = taleOf(...life(['i1']));
    await store.project(tale.messages.slice(0, 3));
    const mixed = [...tale.messages].reverse().concat(tale.messages[0]!);
    expect(await store.project(mixed)).toMatchObject({ projected: tale.messages.length - 3, repeated: 3 });
    expect(await store.project(tale.messages)).toMatchObject({ projected: 0, repeated: tale.messages.length });
    expect(await rows('SELECT count(*)::int AS n FROM audit.event_log')).toEqual([{ n: tale.messages.length }]);
  });

  it('refuses a gap, and writes nothing', async () => {
    const tale = taleOf(...life(['i1']));
    const gap = tale.messages.filter((message) => message.sequence !== 2);
    await expect(store.project(gap)).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { stream: 'GATE', missing: 2 } });
    expect(await store.checkpoints()).toEqual({ GATE: 0, CATALOG: 0 });
    expect(await rows('SELECT count(*)::int AS n FROM audit.event_log')).toEqual([{ n: 0 }]);
  });

  it('notices a log that was written anew below the checkpoint', async () => {
    await store.project(taleOf(...life(['i1'])).messages);
    const other = new Tale();
    other.tell(session('t9'), opened);
    await expect(store.project(other.messages)).rejects.toMatchObject({ code: 'LOG_REGRESSED' });
  });

  it('advances both streams of a batch in one transaction', async () => {
    const tale = taleOf(proposed(['i1']));
    tale.tell(tenant('t1'), { type: 'tenant.Registered', data: { name: 'One', localProcesses: false, keys: [], at: timeAt(0) } });
    await store.project(tale.messages);
    expect(await store.checkpoints()).toEqual({ GATE: 2, CATALOG: 1 });
    const gap = [tale.of('GATE')[0]!, { ...tale.of('CATALOG')[0]!, sequence: 3 }];
    await expect(store.project(gap)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(await store.checkpoints()).toEqual({ GATE: 2, CATALOG: 1 });
  });

  it('lets one of several projectors win each step, and loses nothing between them', async () => {
    const tale = new Tale();
    for (let at = 0; at < 40; at += 1) tale.tell(session('t1', `sabcdefg${at + 10}`), opened);
    const other = await openAuditStore({ url: database.adminUrl, passwords: PASSWORDS });
    let lost = 0;
    const drive = async (one: AuditStore): Promise<void> => {
      for (;;) {
        const { GATE } = await one.checkpoints();
        if (GATE === tale.messages.length) return;
        await one.project(tale.messages.slice(GATE, GATE + 3)).catch((error: { code?: string }) => {
          expect(error.code).toBe('UNAVAILABLE');
          lost += 1;
        });
      }
    };
    try {
      await Promise.all([drive(store), drive(other), drive(store)]);
    } finally {
      await other.close();
    }
    expect(lost).toBeGreaterThan(0);
    expect(await rows('SELECT count(*)::int AS n, count(DISTINCT sequence)::int AS sequences FROM audit.event_log')).toEqual([{ n: 40, sequences: 40 }]);
    expect(await rows('SELECT count(*)::int AS n FROM audit.sessions')).toEqual([{ n: 40 }]);
  });

  it('makes the partitions of a month when its first event comes, and of the next one ahead', async () => {
    const tale = new Tale();
    tale.tell(session('t1', 'sabcdefg10'), opened, { time: '2026-03-31T23:59:59.999Z' });
    tale.tell(session('t1', 'sabcdefg11'), opened, { time: '2026-04-01T00:00:00.000Z' });
    tale.tell(session('t1', 'sabcdefg12'), opened, { time: '2026-12-31T23:59:59.999Z' });
    await store.project(tale.messages);
    const placed = await rows(`SELECT tableoid::regclass::text AS part, sequence::int FROM audit.event_log ORDER BY sequence`);
    expect(placed).toEqual([{ part: 'audit.event_log_y2026m03', sequence: 1 }, { part: 'audit.event_log_y2026m04', sequence: 2 }, { part: 'audit.event_log_y2026m12', sequence: 3 }]);
    const parts = await rows<{ part: string }>(`SELECT inhrelid::regclass::text AS part FROM pg_inherits WHERE inhparent = 'audit.sessions'::regclass ORDER BY 1`);
    expect(parts.map(({ part }) => part)).toEqual(['sessions_untimed', 'sessions_y2026m03', 'sessions_y2026m04', 'sessions_y2026m05', 'sessions_y2026m12', 'sessions_y2027m01'].map((name) => `audit.${name}`));
  });

  it('goes on after the server was killed, from the last checkpoint', async () => {
    const tale = taleOf(...life(['i1']));
    await store.project(tale.messages.slice(0, 4));
    await databases.crash();
    const retry = async (): Promise<unknown> => store.project(tale.messages).catch(() => store.project(tale.messages));
    await expect(retry()).resolves.toMatchObject({ repeated: 4, projected: tale.messages.length - 4 });
  }, 60_000);
});
