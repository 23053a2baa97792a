import type { AuditPage } from '@countersign/contracts';
import { openAuditStore, type AuditStore } from '../index.js';
import { AuditDatabases, PASSWORDS, type AuditDatabase } from '../../test/audit-database.js';
import { Tale, plan, session, timeAt } from '../../test/messages.js';
import { answered, evaluated, life, opened, outcome, proposed, started } from '../../test/plan-facts.js';

let databases: AuditDatabases;
let database: AuditDatabase;
let store: AuditStore;
let tale: Tale;

beforeAll(async () => { databases = await AuditDatabases.start(); }, 60_000);
afterAll(() => databases.stop());
beforeEach(async () => {
  database = await databases.create();
  store = await openAuditStore({ url: database.adminUrl, passwords: PASSWORDS });
  tale = new Tale();
});
afterEach(() => store.close());

let projected = 0;
beforeEach(() => { projected = 0; });
async function project(): Promise<void> {
  await store.project(tale.messages.slice(projected));
  projected = tale.messages.length;
}

async function allPages<Row>(ask: (cursor?: string) => Promise<AuditPage<Row>>, between: () => Promise<void> = async () => undefined): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: string | undefined;
  do {
    const page = await ask(cursor);
    rows.push(...page.rows);
    cursor = page.nextCursor;
    if (cursor) await between();
  } while (cursor);
  return rows;
}

describe('queryPlans', () => {
  it('gives a tenant its own plans, newest first, and says what it reflects', async () => {
    for (let number = 1; number <= 3; number += 1) tale.tell(plan('t1', number), proposed(['i1', 'i2']));
    tale.tell(plan('t2', 1), proposed(['i1']));
    await project();
    const page = await store.queryPlans('t1', {});
    expect(page.rows.map((row) => row.planId)).toEqual([3, 2, 1].map((number) => plan('t1', number).id));
    expect(page.rows[0]).toEqual({
      planId: plan('t1', 3).id, sessionId: 'sabcdefgh1', turnId: 'turn-1', requester: 'robot', proposedAt: timeAt(1), items: 2, sequence: 3,
    });
    expect(page).toMatchObject({ reflects: 4 });
    expect(page.nextCursor).toBeUndefined();
    expect((await store.queryPlans('t3', {})).rows).toEqual([]);
    expect((await store.queryPlans('', {})).rows).toEqual([]);
  });

  it('filters by session, requester and time', async () => {
    tale.tell(plan('t1', 1, 'sabcdefgh1'), proposed(['i1']), { time: '2026-03-01T00:00:00.000Z' });
    tale.tell(plan('t1', 2, 'sabcdefgh2'), proposed(['i1']), { time: '2026-04-01T00:00:00.000Z' });
    await project();
    const ids = async (query: object): Promise<string[]> => (await store.queryPlans('t1', query)).rows.map((row) => row.sessionId);
    expect(await ids({ session: 'sabcdefgh1' })).toEqual(['sabcdefgh1']);
    expect(await ids({ from: '2026-03-15T00:00:00Z' })).toEqual(['sabcdefgh2']);
    expect(await ids({ to: '2026-04-01' })).toEqual(['sabcdefgh1']);
    expect(await ids({ requester: 'robot' })).toEqual(['sabcdefgh2', 'sabcdefgh1']);
    expect(await ids({ requester: "x' OR true --" })).toEqual([]);
  });

  it('pages without loss or repetition while plans are added', async () => {
    for (let number = 1; number <= 25; number += 1) tale.tell(plan('t1', number), proposed(['i1']));
    await project();
    let number = 100;
    const add = async (): Promise<void> => { tale.tell(plan('t1', (number += 1)), proposed(['i1'])); await project(); };
    const rows = await allPages((cursor) => store.queryPlans('t1', { limit: 4, ...(cursor ? { cursor } : {}) }), add);
    expect(rows.map((row) => row.sequence)).toEqual(Array.from({ length: 25 }, (_, at) => 25 - at));
  });

  it('refuses a cursor that is broken, or of another tenant or question', async () => {
    for (let number = 1; number <= 3; number += 1) tale.tell(plan('t1', number), proposed(['i1']));
    await project();
    const { nextCursor: cursor } = await store.queryPlans('t1', { limit: 1 });
    const refused = { code: 'CURSOR_INVALID' };
    await expect(store.queryPlans('t2', { cursor })).rejects.toMatchObject(refused);
    await expect(store.queryPlans('t1', { cursor, requester: 'robot' })).rejects.toMatchObject(refused);
    await expect(store.queryItems('t1', { cursor })).rejects.toMatchObject(refused);
    for (const broken of ['', 'x', Buffer.from('[1,2,3]').toString('base64url'), Buffer.from('null').toString('base64url')]) {
      await expect(store.queryPlans('t1', { cursor: broken })).rejects.toMatchObject(refused);
    }
    expect((await store.queryPlans('t1', { cursor, limit: 2 })).rows.map((row) => row.sequence)).toEqual([2, 1]);
  });

  it.each([{ limit: 0 }, { limit: 201 }, { limit: 1.5 }, { from: 'yesterday' }, { session: 5 }, { requester: 'a\0b' }])('refuses %j', async (query) => {
    await expect(store.queryPlans('t1', query as never)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  });
});

describe('queryItems', () => {
  it('gives the snapshot, and what the facts say of it now', async () => {
    for (const event of life(['i1'])) tale.tell(plan('t1', 1), event);
    await project();
    const [row] = (await store.queryItems('t1', {})).rows;
    expect(row).toMatchObject({
      planId: plan('t1', 1).id, itemId: 'i1', callId: 'call-i1', provider: 'files', operation: 'write_file', kind: 'resource', risk: 'high', category: 'tool',
      decision: 'allow', decidedBy: 'person:alice', answeredBy: 'alice', answer: 'approve', outcome: 'applied',
    });
  });

  it('filters by what was decided, by provider, operation and risk', async () => {
    const ids = ['i1', 'i2', 'i3', 'i4', 'i5'];
    for (const event of [
      proposed(ids), evaluated({ i1: 'allow', i2: 'deny', i3: 'ask', i4: 'ask' }), answered('i4', 'reject', 'bob'), started(['i1']), outcome('i1', 'failed'),
    ]) tale.tell(plan('t1', 1), event);
    await project();
    const items = async (query: object): Promise<string[]> => (await store.queryItems('t1', query)).rows.map((row) => `${row.itemId} ${row.decidedBy ?? ''} ${row.outcome ?? ''}`);
    expect(await items({ decision: 'allow' })).toEqual(['i1 policy:rule-1 failed']);
    expect(await items({ decision: 'deny' })).toEqual(['i4 person:bob denied', 'i2 policy:rule-1 denied']);
    expect(await items({ decision: 'ask' })).toEqual(['i3 policy:rule-1 ']);
    expect(await items({ decision: 'pending' })).toEqual(['i5  ']);
    expect(await items({ provider: 'files', operation: 'write_file', risk: 'high', limit: 1 })).toEqual(['i5  ']);
    expect(await items({ provider: 'other' })).toEqual([]);
    expect(await items({ risk: 'low' })).toEqual([]);
  });

  it('pages through the items of many plans in one order, from inside a plan to the next', async () => {
    for (let number = 1; number <= 4; number += 1) tale.tell(plan('t1', number), proposed(['i1', 'i2', 'i3']));
    await project();
    const rows = await allPages((cursor) => store.queryItems('t1', { limit: 2, ...(cursor ? { cursor } : {}) }));
    expect(rows.map((row) => `${row.planId.at(-1)}${row.itemId}`)).toEqual(['4i3', '4i2', '4i1', '3i3', '3i2', '3i1', '2i3', '2i2', '2i1', '1i3', '1i2', '1i1']);
  });
});

it('reads nothing of one tenant for another, also when both are asked at once over the same connections', async () => {
  for (const name of ['t1', 't2', 't3']) {
    tale.tell(session(name), opened);
    for (const event of life(['i1'])) tale.tell(plan(name, Number(name[1])), event);
  }
  await project();
  const names = Array.from({ length: 60 }, (_, at) => `t${(at % 3) + 1}`);
  const answers = await Promise.all(names.map((name) => store.queryItems(name, {})));
  answers.forEach((page, at) => expect(page.rows.map((row) => row.planId)).toEqual([plan(names[at]!, Number(names[at]![1])).id]));
});
