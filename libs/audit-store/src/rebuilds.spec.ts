import { openAuditStore, type AuditStore } from './index.js';
import { AuditDatabases, PASSWORDS, runAs, type AuditDatabase } from '../test/audit-database.js';
import { Tale, plan } from '../test/messages.js';
import { life } from '../test/plan-facts.js';

let databases: AuditDatabases;
let database: AuditDatabase;
let store: AuditStore;
let other: AuditStore;
let tale: Tale;

beforeAll(async () => { databases = await AuditDatabases.start(); }, 60_000);
afterAll(() => databases.stop());
beforeEach(async () => {
  database = await databases.create();
  const open = () => openAuditStore({ url: database.adminUrl, passwords: PASSWORDS });
  [store, other] = await Promise.all([open(), open()]);
  tale = new Tale();
  for (const event of life(['i1'])) tale.tell(plan('t1', 1), event);
  await store.project(tale.messages);
});
afterEach(async () => {
  await store.close();
  await other.close();
});

/** The log, and a door in front of its first event. */
function behindADoor() {
  let opened = (): void => undefined;
  let arrived = (): void => undefined;
  const open = new Promise<void>((resolve) => { opened = resolve; });
  const reached = new Promise<void>((resolve) => { arrived = resolve; });
  return {
    open: () => opened(),
    reached,
    log: async function* (stream: 'GATE' | 'CATALOG', upTo: number) {
      arrived();
      await open;
      yield* tale.source(stream, upTo);
    },
  };
}

const total = (): number => tale.messages.length;
const scratch = () => runAs<{ n: number }>(database.adminUrl, `SELECT count(*)::int AS n FROM pg_namespace WHERE nspname LIKE 'rebuild%'`).then((rows) => rows[0]!.n);

describe('rebuilds', () => {
  it('run one at a time in all processes, and each process says how far the one is and what came out', async () => {
    expect(await other.rebuildStatus()).toEqual({ state: 'none', events: 0, total: 0 });
    const door = behindADoor();
    const { status, report } = await store.startRebuild(door.log);
    expect(status).toEqual({ state: 'running', rebuild: expect.stringMatching(/^[0-9a-f]{12}$/), startedAt: expect.any(String), events: 0, total: total() });
    await door.reached;
    const second = await other.startRebuild(tale.source.bind(tale));
    expect(second).toEqual({ status });
    door.open();
    expect(await report).toMatchObject({ identical: true });
    expect(await other.rebuildStatus()).toEqual({
      ...status, state: 'finished', endedAt: expect.any(String), events: total(), report: await report, reportOf: status.rebuild,
    });
    await expect(runAs(database.adminUrl, 'DELETE FROM audit.rebuild_steps')).rejects.toThrow(/insert-only/);
  });

  it('say why one failed, and still what the last one found that did not', async () => {
    const first = await store.startRebuild(tale.source.bind(tale));
    await first.report;
    const nothing = async function* () { /* the log is gone */ };
    const { report, status } = await store.startRebuild(nothing);
    await expect(report).rejects.toMatchObject({ code: 'LOG_REGRESSED' });
    expect(await store.rebuildStatus()).toMatchObject({
      state: 'failed', rebuild: status.rebuild, error: { code: 'LOG_REGRESSED', details: { stream: 'GATE', sequence: 1 } }, report: { identical: true }, reportOf: first.status.rebuild,
    });
  });

  it('end when they are told to, and leave nothing behind', async () => {
    const door = behindADoor();
    const stop = new AbortController();
    const { report } = await store.startRebuild(door.log, stop.signal);
    await door.reached;
    stop.abort();
    door.open();
    await expect(report).rejects.toThrow(/abort/i);
    expect(await other.rebuildStatus()).toMatchObject({ state: 'failed', error: { code: 'UNAVAILABLE' } });
    expect(await scratch()).toBe(0);
  });

  it('have failed when their process is gone, and the next one clears up after them', async () => {
    const door = behindADoor();
    const { report } = await store.startRebuild(door.log);
    await door.reached;
    await runAs(database.adminUrl, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'countersign-rebuilder' AND datname = current_database()`);
    const lost = expect(report).rejects.toThrow();
    await runAs(database.adminUrl, `REVOKE INSERT ON audit.rebuild_steps FROM ${new URL(database.urls.rebuilder).username}`);
    await runAs(database.adminUrl, `CREATE SCHEMA rebuild_0123456789ab AUTHORIZATION ${new URL(database.urls.rebuilder).username}`);
    door.open();
    await lost;
    expect(await other.rebuildStatus()).toMatchObject({ state: 'failed', error: { code: 'UNAVAILABLE', message: expect.stringContaining('has ended') } });
    await runAs(database.adminUrl, `GRANT INSERT ON audit.rebuild_steps TO ${new URL(database.urls.rebuilder).username}`);
    expect(await (await other.startRebuild(tale.source.bind(tale))).report).toMatchObject({ identical: true });
    expect(await scratch()).toBe(0);
  });
});
