import type { AuditRebuildView } from '@countersign/contracts/http';
import { CountersignError, rebuildAudit, type CountersignClient } from './index.js';

const report = { identical: true, upTo: { GATE: 9 }, tables: [] };
const running = (events: number): AuditRebuildView => ({ state: 'running', rebuild: 'r2', events, total: 9, report: { ...report, identical: false }, reportOf: 'r1' });
const quick = { pollMs: () => 0 };

/** Answers in turn; the last one for ever. */
function gate(...answers: (AuditRebuildView | Error)[]): CountersignClient {
  const given = [...answers];
  const auditRebuild = async () => {
    const answer = given.length > 1 ? given.shift()! : given[0]!;
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { startAuditRebuild: async () => running(0), auditRebuild } as unknown as CountersignClient;
}

describe('rebuildAudit', () => {
  it('asks until its own rebuild is over, tells how far it is, and takes an older report for none', async () => {
    const told: number[] = [];
    const finished: AuditRebuildView = { state: 'finished', rebuild: 'r2', events: 9, total: 9, report, reportOf: 'r2' };
    expect(await rebuildAudit(gate(running(0), running(4), finished), { ...quick, progress: ({ events }) => told.push(events) })).toEqual(report);
    expect(told).toEqual([0, 4, 9]);
  });

  it('has its report although another one was begun since', async () => {
    expect(await rebuildAudit(gate({ ...running(1), rebuild: 'r3', report, reportOf: 'r2' }), quick)).toEqual(report);
  });

  it('waits for a gate that is away, but not for ever', async () => {
    const away = new CountersignError('UNAVAILABLE', 503, 'away');
    const finished: AuditRebuildView = { state: 'finished', rebuild: 'r2', events: 9, total: 9, report, reportOf: 'r2' };
    expect(await rebuildAudit(gate(away, away, finished), quick)).toEqual(report);
    await expect(rebuildAudit(gate(away), quick)).rejects.toBe(away);
    const refused = new CountersignError('FORBIDDEN', 403, 'no');
    await expect(rebuildAudit(gate(refused), quick)).rejects.toBe(refused);
  });

  it('says why it failed, and that it was lost', async () => {
    const error = { code: 'LOG_REGRESSED', message: 'event 1 is gone', details: { sequence: 1 } } as const;
    await expect(rebuildAudit(gate({ ...running(1), state: 'failed', error }), quick)).rejects.toMatchObject(error);
    await expect(rebuildAudit(gate({ ...running(1), rebuild: 'r3' }), quick)).rejects.toMatchObject({ code: 'AUDIT_MISMATCH' });
  });
});
