import { LIMITS, type AuditCheckpoint, type AuditStatus } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { Commands } from '../ports.js';
import { AuditLag } from './audit-lag.js';
import { TenantBounds } from './tenant-bounds.js';

const refusal = (work: () => unknown): GateError | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof GateError) return error;
    throw error;
  }
};

describe('what a tenant may change', () => {
  let now = 0;
  const bounds = () => new TenantBounds({ perSecond: 10, burst: 20, proposalsInFlight: 2 }, () => now);
  const changes = (of: TenantBounds, tenant: string, count: number) => Array.from({ length: count }, () => refusal(() => of.countChange(tenant))).filter((error) => !error).length;

  it('is so much at once and so much a second, each for itself', () => {
    const of = bounds();
    expect(changes(of, 'acme', 30)).toBe(20);
    expect(changes(of, 'other', 5)).toBe(5);
    now += 1_000;
    expect(changes(of, 'acme', 30)).toBe(10);
    now += 3_600_000;
    expect(changes(of, 'acme', 30)).toBe(20);
    expect(refusal(() => of.countChange('acme'))).toMatchObject({ code: 'TOO_MANY_REQUESTS', details: { retryAfterSeconds: 1 } });
  });

  it('does not grow with the number of tenants that were ever there, and forgets none that is at its bound', () => {
    const of = bounds();
    expect(changes(of, 'busy', 30)).toBe(20);
    for (let tenant = 0; tenant < LIMITS.foldCacheEntries * 3; tenant += 1) {
      of.countChange(`t${tenant}`);
      now += 100;
      expect(changes(of, 'busy', 2)).toBe(1);
    }
    expect((of as unknown as { buckets: Map<string, unknown> }).buckets.size).toBeLessThanOrEqual(LIMITS.foldCacheEntries);
  });

  it('is so many proposals on their way, whatever comes of them', async () => {
    const of = bounds();
    const ends: (() => void)[] = [];
    const work = () => new Promise<void>((resolve) => { ends.push(resolve); });
    const running = [of.proposing('acme', work), of.proposing('acme', work)];
    await expect(of.proposing('acme', work)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' });
    await expect(of.proposing('other', async () => 'done')).resolves.toBe('done');
    for (const end of ends) end();
    await Promise.all(running);
    await expect(of.proposing('acme', async () => { throw new Error('refused'); })).rejects.toThrow('refused');
    await expect(Promise.all([1, 2].map((one) => of.proposing('acme', async () => one)))).resolves.toEqual([1, 2]);
  });

  it('leaves the bench’s one tenant alone', () => {
    const of = new TenantBounds(undefined, () => now);
    for (let second = 0; second < 60; second += 1, now += 1_000) expect(changes(of, 'bench', 1_500)).toBe(1_500);
  });
});

describe('how far the audit is behind', () => {
  function lag() {
    let now = 0;
    let checkpoint: AuditCheckpoint | undefined;
    const commands: Commands = {
      call: (async () => {
        if (!checkpoint) throw new GateError('UNAVAILABLE');
        return { checkpoints: { GATE: checkpoint, CATALOG: { sequence: 5, logSequence: 5, lagMs: 99_000 } }, quarantined: 0 } satisfies AuditStatus;
      }) as Commands['call'],
    };
    const audit = new AuditLag(commands, () => now);
    return { audit, async after(ms: number, says: AuditCheckpoint | undefined) { now += ms; checkpoint = says; await audit.ask(); return audit.lagMs; } };
  }

  it('is nothing when everything is projected, whatever the last batch took', async () => {
    const { audit, after } = lag();
    expect(audit.lagMs).toBe(0);
    expect(await after(0, { sequence: 7, logSequence: 7, lagMs: 60_000 })).toBe(0);
    expect(refusal(() => audit.refuseWhenBehind())).toBeUndefined();
  });

  it('is the age of what is not projected, also while nothing is projected at all', async () => {
    const { audit, after } = lag();
    await after(0, { sequence: 1, logSequence: 10, lagMs: 20 });
    for (let second = 1; second <= 10; second += 1) await after(1_000, { sequence: 1, logSequence: 10 + second, lagMs: 20 });
    expect(audit.lagMs).toBe(10_000);
    expect(refusal(() => audit.refuseWhenBehind())).toBeUndefined();
    await after(1_000, { sequence: 1, logSequence: 30, lagMs: 20 });
    expect(refusal(() => audit.refuseWhenBehind())).toMatchObject({ code: 'TOO_MANY_REQUESTS', details: { retryAfterSeconds: expect.any(Number) } });
    expect(await after(1_000, { sequence: 15, logSequence: 31, lagMs: 20 })).toBe(6_000);
    expect(refusal(() => audit.refuseWhenBehind())).toBeUndefined();
    expect(await after(1_000, { sequence: 31, logSequence: 31 })).toBe(0);
  });

  it('is what the audit says itself when that is more', async () => {
    const { after } = lag();
    expect(await after(0, { sequence: 1, logSequence: 10, lagMs: 12_000 })).toBe(12_000);
  });

  it('sheds nothing for an audit that is not there, or has stopped for good', async () => {
    const { audit, after } = lag();
    await after(0, { sequence: 1, logSequence: 10, lagMs: 30_000 });
    expect(audit.lagMs).toBe(30_000);
    await after(4_000, undefined);
    expect(audit.lagMs).toBe(30_000);
    await after(2_000, undefined);
    expect(audit.lagMs).toBe(0);
    expect(await after(60_000, { sequence: 1, logSequence: 10, lagMs: 30_000, halted: { code: 'LOG_REGRESSED', message: '' } })).toBe(0);
  });

  it('is asked once at a time', async () => {
    let asked = 0;
    let answer: (status: AuditStatus) => void = () => undefined;
    const audit = new AuditLag({ call: (() => { asked += 1; return new Promise((resolve) => { answer = resolve as typeof answer; }); }) as Commands['call'] }, () => 0);
    const first = audit.ask();
    await audit.ask();
    expect(asked).toBe(1);
    answer({ checkpoints: {}, quarantined: 0 });
    await first;
    expect(audit.lagMs).toBe(0);
  });
});
