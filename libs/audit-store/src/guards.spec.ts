import { openAuditStore } from './index.js';
import { TABLES } from './tables.js';
import { AuditDatabases, PASSWORDS, runAs, type AuditDatabase } from '../test/audit-database.js';
import { Tale, plan, session, tenant, timeAt } from '../test/messages.js';
import { closed, evaluated, expired, life, opened, proposed } from '../test/plan-facts.js';
import { decided, sessionFacts } from '../test/decision-facts.js';

let databases: AuditDatabases;
let database: AuditDatabase;

beforeAll(async () => {
  databases = await AuditDatabases.start();
  database = await databases.create();
  const store = await openAuditStore({ url: database.adminUrl, passwords: PASSWORDS });
  const tale = new Tale();
  for (const name of ['t1', 't2']) {
    tale.tell(session(name), opened);
    for (const event of life(['i1'])) tale.tell(plan(name, 1), event);
    for (const event of [proposed(['i1']), evaluated({ i1: 'ask' }), expired(['i1']), closed('cancelled')]) tale.tell(plan(name, 2), event);
    for (const event of sessionFacts) tale.tell(session(name), event);
    for (const event of [proposed(['i1']), ...decided('i1')]) tale.tell(plan(name, 5), event);
    tale.tell(session(name), { type: 'session.Ended', data: { by: 'robot', reason: 'done', at: timeAt(9) } });
    tale.tell(plan(name, 3), closed('cancelled'), { version: '2' });
  }
  tale.tell(tenant('t1'), { type: 'tenant.Registered', data: { name: 'One', localProcesses: false, keys: [], at: timeAt(0) } });
  await store.project(tale.messages);
  await store.close();
}, 60_000);
afterAll(() => databases.stop());

const PARTITION = 'plan_items_y2026m03';
const changes = (table: string): string[] => [
  `UPDATE audit.${table} SET tenant = 'x' WHERE false`, `DELETE FROM audit.${table} WHERE false`, `TRUNCATE audit.${table}`,
];
const insertOnly = /insert-only: (UPDATE|DELETE|TRUNCATE) of/;

describe('the tables are insert-only', () => {
  it.each([...TABLES])('%s refuses UPDATE, DELETE and TRUNCATE by trigger, even of its owner and of a superuser', async (table) => {
    for (const change of changes(table)) {
      await expect(runAs(database.adminUrl, change)).rejects.toThrow(insertOnly);
      await expect(runAs(database.adminUrl, `SET ROLE ${database.owner}`, change)).rejects.toThrow(insertOnly);
    }
  });

  it('a partition addressed by its own name refuses them as well', async () => {
    for (const change of changes(PARTITION)) {
      await expect(runAs(database.adminUrl, change)).rejects.toThrow(insertOnly);
      await expect(runAs(database.adminUrl, `SET ROLE ${database.owner}`, change)).rejects.toThrow(insertOnly);
    }
  });

  it('neither an upsert, nor MERGE, nor replication mode gets round the trigger', async () => {
    const item = `INSERT INTO audit.quarantine VALUES ('GATE', 1, 't1', '', '', '', '')`;
    await expect(runAs(database.adminUrl, `${item} ON CONFLICT (stream, sequence) DO UPDATE SET reason = 'x'`)).rejects.toThrow(insertOnly);
    await expect(runAs(database.adminUrl, `MERGE INTO audit.plans USING (SELECT 1) one ON true WHEN MATCHED THEN DELETE`)).rejects.toThrow(insertOnly);
    await expect(runAs(database.adminUrl, `SET session_replication_role = replica`, `DELETE FROM audit.plans`)).rejects.toThrow(insertOnly);
  });

  it.each(['projector', 'rebuilder', 'reader'] as const)('%s has no grant to change anything', async (role) => {
    for (const table of [...TABLES, PARTITION]) {
      for (const change of changes(table)) await expect(runAs(database.urls[role], change)).rejects.toThrow(/permission denied/);
    }
    for (const change of ['ALTER TABLE audit.plans DISABLE TRIGGER insert_only', 'DROP TABLE audit.plans', 'ALTER TABLE audit.plans DISABLE ROW LEVEL SECURITY',
      'CREATE TABLE audit.more (n int)']) {
      await expect(runAs(database.urls[role], change)).rejects.toThrow(/must be owner|permission denied/);
    }
    await expect(runAs(database.urls[role], `SET ROLE ${database.owner}`)).rejects.toThrow(/permission denied/);
  });

  it('only the projector may insert', async () => {
    const insert = `INSERT INTO audit.quarantine VALUES ('GATE', 999, 't1', '', '', '', '')`;
    for (const role of ['reader', 'rebuilder'] as const) await expect(runAs(database.urls[role], insert)).rejects.toThrow(/permission denied/);
    await expect(runAs(database.urls.projector, 'BEGIN', insert, 'ROLLBACK')).resolves.toEqual([]);
  });
});

describe('a checkpoint', () => {
  it('moves by compare-and-set only, and only upwards', async () => {
    await expect(runAs(database.urls.projector, `UPDATE audit.checkpoints SET sequence = 99`)).rejects.toThrow(/permission denied/);
    const [before] = await runAs<{ sequence: string }>(database.adminUrl, `SELECT sequence FROM audit.checkpoints WHERE stream = 'CATALOG'`);
    expect(before!.sequence).toBe('1');
    const advance = (expected: number, next: number): Promise<unknown[]> =>
      runAs(database.urls.projector, 'BEGIN', `SELECT audit.advance_checkpoint('CATALOG', ${expected}, ${next}) AS done`);
    expect(await advance(0, 5)).toEqual([{ done: false }]);
    expect(await advance(1, 5)).toEqual([{ done: true }]);
    await expect(advance(1, 1)).rejects.toThrow(/only rises/);
    await expect(advance(1, 0)).rejects.toThrow(/only rises/);
    for (const change of [`DELETE FROM audit.checkpoints`, `INSERT INTO audit.checkpoints VALUES ('MORE', 1)`]) {
      await expect(runAs(database.adminUrl, change)).rejects.toThrow(/only rises/);
    }
    await expect(runAs(database.adminUrl, `TRUNCATE audit.checkpoints`)).rejects.toThrow(insertOnly);
    for (const role of ['reader', 'rebuilder'] as const) {
      await expect(runAs(database.urls[role], `SELECT audit.advance_checkpoint('CATALOG', 1, 5)`)).rejects.toThrow(/permission denied/);
    }
  });
});

describe('row-level security', () => {
  it.each([...TABLES])('%s shows a tenant its own rows, and nothing without a tenant', async (table) => {
    const tenants = `SELECT DISTINCT tenant FROM audit.${table}`;
    for (const name of ['t1', 't2']) {
      expect(await runAs(database.urls.reader, 'BEGIN', `SET LOCAL app.tenant = '${name}'`, tenants)).toEqual([{ tenant: name }]);
    }
    expect(await runAs(database.urls.reader, tenants)).toEqual([]);
    expect(await runAs(database.urls.reader, `SET app.tenant = ''`, tenants)).toEqual([]);
    // FORCE: the owner is no exception.
    expect(await runAs(database.adminUrl, `SET ROLE ${database.owner}`, tenants)).toEqual([]);
    expect((await runAs(database.urls.projector, tenants)).length).toBe(2);
  });

  it('the tenant ends with its transaction', async () => {
    const counted = 'SELECT count(*)::int AS n FROM audit.plan_items';
    expect(await runAs(database.urls.reader, 'BEGIN', `SET LOCAL app.tenant = 't1'`, 'COMMIT', counted)).toEqual([{ n: 0 }]);
  });

  it('holds in the view of item states, and a partition is not open to the reader', async () => {
    expect(await runAs(database.urls.reader, 'BEGIN', `SET LOCAL app.tenant = 't2'`, 'SELECT tenant, decision, decided_by, outcome FROM audit.item_states ORDER BY sequence'))
      .toEqual([{ tenant: 't2', decision: 'allow', decided_by: 'person:alice', outcome: 'applied' }, { tenant: 't2', decision: 'deny', decided_by: 'expired', outcome: 'denied' }, { tenant: 't2', decision: 'ask', decided_by: 'policy:writes', outcome: null }]);
    expect(await runAs(database.urls.reader, 'SELECT * FROM audit.item_states')).toEqual([]);
    await expect(runAs(database.urls.reader, `SELECT * FROM audit.${PARTITION}`)).rejects.toThrow(/permission denied/);
  });
});
