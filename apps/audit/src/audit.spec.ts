import { injectFaults } from '@countersign/fault-points';
import { AuditBench, eventually } from '../test/audit-bench.js';

let bench: AuditBench;
beforeEach(async () => { bench = await AuditBench.start(); }, 60_000);
afterEach(() => bench.stop(), 60_000);

const everySequenceOnce = async (last: number): Promise<void> => {
  expect(await bench.rows(`SELECT count(*)::int AS n, count(DISTINCT sequence)::int AS sequences, max(sequence)::int AS last FROM audit.event_log WHERE stream = 'GATE'`))
    .toEqual([{ n: last, sequences: last, last }]);
  expect(await bench.rows('SELECT count(*)::int AS n FROM audit.sessions')).toEqual([{ n: last }]);
};

describe('audit', () => {
  it('writes what happens, answers for a tenant, and proves itself from the log', async () => {
    await bench.audit();
    await bench.projected(await bench.tell(50));
    const last = await bench.tell(1);
    await bench.projected(last);
    await everySequenceOnce(last);
    const lag = async (): Promise<number | undefined> => (await bench.ask('audit.status')).checkpoints['GATE']!.lagMs;
    await eventually(async () => (await lag())! >= 0, 'a lag is measured');
    const status = await bench.ask('audit.status');
    expect(status).toMatchObject({ checkpoints: { GATE: { sequence: last, logSequence: last }, CATALOG: { sequence: 0, logSequence: 0 } }, quarantined: 0 });
    expect(await bench.ask('audit.query-plans')).toEqual({ rows: [], reflects: last });
    expect(await bench.ask('audit.query-items', { decision: 'allow' })).toEqual({ rows: [], reflects: last });
    await expect(bench.ask('audit.query-plans', { limit: 0 })).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    expect(await bench.rebuilt()).toMatchObject({ identical: true, upTo: { GATE: last, CATALOG: 0 } });
    await bench.rows('ALTER TABLE audit.sessions DISABLE TRIGGER insert_only');
    await bench.rows(`UPDATE audit.sessions SET agent = 'another' WHERE sequence = 7`);
    const report = await bench.rebuilt();
    expect(report.tables.filter((table) => table.digest !== table.rebuiltDigest).map((table) => table.table)).toEqual(['sessions']);
  }, 60_000);

  it('tells a tenant of its own events only, and the operator of all of them', async () => {
    await bench.audit();
    const theirs = await bench.tell(3, 't2');
    const own = await bench.tell(2, 't1');
    const last = await bench.tell(4, 't2');
    await bench.publishAsPlanner('evt.t2.sabcdefgh0.session.sabcdefgh0.planner.1', '{"from":"another release"}');
    await bench.projected(last + 1);
    const status = async (tenant: string, whole = false) => {
      const { checkpoints, quarantined } = await bench.ask('audit.status', { whole }, tenant);
      return [checkpoints['GATE']!.sequence, checkpoints['GATE']!.logSequence, quarantined];
    };
    expect(theirs).toBeLessThan(own);
    expect(await status('t1')).toEqual([own, own, 0]);
    expect(await status('t2')).toEqual([last + 1, last + 1, 1]);
    expect(await status('t3')).toEqual([0, 0, 0]);
    expect(await status('_', true)).toEqual([last + 1, last + 1, 1]);
  }, 60_000);

  it.each(['audit.before-commit', 'audit.after-commit'])('writes everything once when it fails at %s', async (point) => {
    try {
      await bench.audit();
      await bench.projected(await bench.tell(5));
      injectFaults(`${point}=throw@1`);
      const last = await bench.tell(20);
      await bench.projected(last);
      await everySequenceOnce(last);
      await eventually(async () => (await bench.consumer()).num_ack_pending === 0, 'everything is acknowledged');
      expect(await bench.rebuilt()).toMatchObject({ identical: true });
    } finally {
      injectFaults('');
    }
  }, 60_000);

  it('acknowledges what it has written, so that the broker keeps nothing back', async () => {
    await bench.audit();
    const last = await bench.tell(300);
    await bench.projected(last);
    await eventually(async () => {
      const info = await bench.consumer();
      return info.num_ack_pending === 0 && info.ack_floor.stream_seq === last;
    }, 'everything is acknowledged');
  }, 60_000);

  it('puts aside what it cannot read, and goes on', async () => {
    await bench.audit();
    await bench.publishAsPlanner('evt.t1.sabcdefgh0.session.sabcdefgh0.planner.1', '{"from":"another release"}');
    const last = await bench.tell(2);
    await bench.projected(last);
    expect(await bench.rows('SELECT sequence::int, reason FROM audit.quarantine')).toEqual([{ sequence: 1, reason: 'shape_unknown' }]);
    expect(await bench.ask('audit.status')).toMatchObject({ quarantined: 1 });
    expect(await bench.rebuilt()).toMatchObject({ identical: true });
  }, 60_000);

  it('has one projector at work; the other takes over when it goes', async () => {
    const first = await bench.audit();
    await bench.projected(await bench.tell(5));
    await bench.audit();
    const locks = `SELECT count(*)::int AS n FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = 'countersign')`;
    expect(await bench.rows(locks)).toEqual([{ n: 2 }]);
    const telling = bench.tell(200);
    await first.close();
    const last = await telling;
    await bench.projected(last);
    await everySequenceOnce(last);
    await eventually(async () => (await bench.rows<{ n: number }>(locks))[0]!.n === 2, 'the other leads both streams');
  }, 60_000);

  it('loses nothing when PostgreSQL is killed and away for a while', async () => {
    await bench.audit();
    await bench.projected(await bench.tell(20));
    const crash = bench.crashDatabase(1_500);
    await bench.tell(100);
    await expect(bench.ask('audit.query-plans')).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await crash;
    const last = await bench.tell(20);
    await bench.projected(last);
    await everySequenceOnce(last);
    await eventually(async () => (await bench.ask('audit.status')).checkpoints['GATE']!.sequence === last, 'it answers again');
  }, 60_000);

  it('loses nothing when the broker is killed', async () => {
    await bench.audit();
    await bench.projected(await bench.tell(20));
    await bench.broker.kill();
    await bench.broker.restart();
    const last = await bench.tell(50);
    await bench.projected(last);
    await everySequenceOnce(last);
  }, 60_000);

  it('fills a new database from the log, although the broker delivered everything before', async () => {
    const service = await bench.audit();
    await bench.projected(await bench.tell(30));
    await service.close();
    await bench.emptyDatabase();
    await bench.audit();
    const last = await bench.tell(1);
    await bench.projected(last);
    await everySequenceOnce(31);
  }, 60_000);

  it('stops when the log was emptied and has grown beyond its checkpoint since', async () => {
    const service = await bench.audit();
    await bench.projected(await bench.tell(3));
    await service.close();
    await bench.emptyBroker();
    await bench.tell(10);
    await bench.audit();
    await eventually(async () => (await bench.ask('audit.status')).checkpoints['GATE']!.halted?.code === 'LOG_REGRESSED', 'halted');
    expect(await bench.rows(`SELECT count(*)::int AS n FROM audit.event_log`)).toEqual([{ n: 3 }]);
  }, 60_000);

  it('stops, and says why, when the log ends before its checkpoint', async () => {
    const service = await bench.audit();
    await bench.projected(await bench.tell(30));
    await service.close();
    await bench.emptyBroker();
    await bench.audit();
    await bench.tell(3);
    await eventually(async () => (await bench.ask('audit.status')).checkpoints['GATE']!.halted?.code === 'LOG_REGRESSED', 'halted');
    expect(await bench.ask('audit.status', { whole: true })).toMatchObject({ checkpoints: { GATE: { sequence: 30, logSequence: 3, halted: { message: expect.stringContaining('checkpoint 30') } } } });
    expect((await bench.ask('audit.status', {}, 't9')).checkpoints['GATE']).toEqual({ sequence: 0, logSequence: 0, halted: { code: 'LOG_REGRESSED', message: expect.not.stringMatching(/\d/) } });
    expect((await bench.ask('audit.status')).checkpoints['CATALOG']).not.toHaveProperty('halted');
    await expect(bench.rebuilt()).rejects.toMatchObject({ code: 'LOG_REGRESSED' });
  }, 60_000);
});
