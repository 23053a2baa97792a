import fc from 'fast-check';
import { openAuditStore, type AuditStore } from './index.js';
import { digestTables } from './digest.js';
import { dataSourceFor } from './data-source.js';
import { AuditDatabases, PASSWORDS, runAs, type AuditDatabase } from '../test/audit-database.js';
import { rebuilt } from '../test/rebuilt.js';
import { Tale, plan, session, tenant, timeAt } from '../test/messages.js';
import { closed, expired, life, opened, proposed } from '../test/plan-facts.js';
import { decided, sessionFacts } from '../test/decision-facts.js';

let databases: AuditDatabases;
beforeAll(async () => { databases = await AuditDatabases.start(); }, 60_000);
afterAll(() => databases.stop());

/** A bit of everything: two tenants, two months, both streams, one event that is put aside. */
function told(): Tale {
  const tale = new Tale();
  const month = 31 * 24 * 3_600_000;
  for (const [at, name] of ['t2', 't1', 't2'].entries()) {
    tale.tell(session(name, `sabcdefgh${at}`), opened, { at: (at % 2) * month });
    for (const event of life(['i1', 'i2', 'i10'])) tale.tell(plan(name, at), event);
    for (const event of sessionFacts) tale.tell(session(name), event);
    for (const event of [proposed(['i1']), ...decided('i1')]) tale.tell(plan(name, at + 20), event);
    tale.tell(tenant(name), { type: 'tenant.Registered', data: { name, localProcesses: false, keys: [], at: timeAt(0) } });
  }
  tale.tell(plan('t1', 9), proposed(['i1']), { at: month });
  tale.tell(plan('t1', 9), expired(['i1']));
  tale.tell(plan('t1', 9), closed('cancelled'), { body: Buffer.from('{') });
  tale.tell(plan('t1', 9), closed('cancelled'));
  tale.tell(session('t1', 'sabcdefgh1'), { type: 'session.Ended', data: { by: 'robot', reason: 'done', at: timeAt(9) } });
  return tale;
}

async function withStore<T>(work: (store: AuditStore, database: AuditDatabase) => Promise<T>): Promise<T> {
  const database = await databases.create();
  const store = await openAuditStore({ url: database.adminUrl, passwords: PASSWORDS });
  try {
    return await work(store, database);
  } finally {
    await store.close();
  }
}

const schemas = async (database: AuditDatabase): Promise<number> =>
  (await runAs<{ n: number }>(database.adminUrl, `SELECT count(*)::int AS n FROM pg_namespace WHERE nspname LIKE 'rebuild%'`))[0]!.n;

describe('rebuild', () => {
  it('reproduces every table from the log, and leaves nothing behind', async () => {
    await withStore(async (store, database) => {
      const tale = told();
      await store.project(tale.messages);
      const report = await rebuilt(store, tale.source.bind(tale));
      expect(report.tables.filter((table) => table.digest !== table.rebuiltDigest || table.rows !== table.rebuiltRows)).toEqual([]);
      expect(report.tables.filter((table) => table.rows === 0)).toEqual([]);
      expect(report).toMatchObject({ identical: true, upTo: { GATE: tale.of('GATE').length, CATALOG: 3 } });
      expect(await schemas(database)).toBe(0);
    });
  });

  const TAMPERING: readonly [string, string, string][] = [
    ['a changed cell', 'item_verdicts', `UPDATE audit.item_verdicts SET decision = 'deny' WHERE sequence = (SELECT min(sequence) FROM audit.item_verdicts) AND ordinal = 0`],
    ['a moved comma', 'plan_items', `UPDATE audit.plan_items SET input = input || ' ' WHERE item_id = 'i10' AND tenant = 't1'`],
    ['a missing row', 'item_answers', `DELETE FROM audit.item_answers WHERE sequence = (SELECT max(sequence) FROM audit.item_answers)`],
    ['a row beyond the checkpoint', 'session_endings', `INSERT INTO audit.session_endings VALUES ('t1', 9999, 0, '2026-03-02', 's', 'x', 'y', '2026-03-02')`],
  ];

  it.each(TAMPERING)('finds %s, and names the table', async (_name, table, sql) => {
    await withStore(async (store, database) => {
      const tale = told();
      await store.project(tale.messages);
      await runAs(database.adminUrl, `ALTER TABLE audit.${table} DISABLE TRIGGER insert_only`, sql, `ALTER TABLE audit.${table} ENABLE ALWAYS TRIGGER insert_only`);
      const report = await rebuilt(store, tale.source.bind(tale));
      expect(report.identical).toBe(false);
      expect(report.tables.filter((one) => one.digest !== one.rebuiltDigest).map((one) => one.table)).toEqual([table]);
    });
  });

  it('compares what was projected when it began, while the projection goes on', async () => {
    await withStore(async (store) => {
      const tale = told();
      const gate = tale.of('GATE');
      await store.project(gate.slice(0, 5));
      const source = async function* (stream: 'GATE' | 'CATALOG', upTo: number) {
        await store.project(gate);
        yield* tale.source(stream, upTo);
      };
      expect(await rebuilt(store, source)).toMatchObject({ identical: true, upTo: { GATE: 5, CATALOG: 0 } });
      expect(await store.checkpoints()).toEqual({ GATE: gate.length, CATALOG: 0 });
    });
  });

  it.each([['from the beginning', 0], ['in the middle', 4], ['at the end', -1]])('refuses a log that lacks an event %s', async (_where, at) => {
    await withStore(async (store, database) => {
      const tale = told();
      await store.project(tale.messages);
      const gate = tale.of('GATE');
      const lacking = gate.at(at);
      const source = async function* (stream: 'GATE' | 'CATALOG', upTo: number) {
        for await (const message of tale.source(stream, upTo)) if (message !== lacking) yield message;
      };
      await expect(rebuilt(store, source)).rejects.toMatchObject({ code: 'LOG_REGRESSED', details: { stream: 'GATE', sequence: lacking!.sequence } });
      expect(await schemas(database)).toBe(0);
    });
  });

  it('gives the same digests however the log is cut into batches', async () => {
    const tale = told();
    const digestsOf = (cuts: readonly number[]): Promise<unknown> => withStore(async (store, database) => {
      let begin = 0;
      for (const end of [...new Set(cuts)].sort((a, b) => a - b).concat(tale.messages.length)) {
        await store.project(tale.messages.slice(begin, end));
        begin = end;
      }
      const source = dataSourceFor(database.urls.rebuilder, { poolSize: 1, applicationName: 'spec' });
      await source.initialize();
      try {
        return await digestTables(source, '"audit"');
      } finally {
        await source.destroy();
      }
    });
    const whole = await digestsOf([]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: tale.messages.length - 1 })), async (cuts) => {
        expect(await digestsOf(cuts)).toEqual(whole);
      }),
      { numRuns: 8 },
    );
  }, 60_000);
});
