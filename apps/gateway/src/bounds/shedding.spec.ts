import type { Problem } from '@countersign/contracts/http';
import { MemoryGate } from '../spec-support/memory-gate.js';

const items = [{ callId: 'a', provider: 'files', operation: 'read_file', input: {} }];

describe('bounds at the edge', () => {
  let gate: MemoryGate;
  afterEach(() => gate.stop());
  const propose = (session: string, key: string) => gate.ask<Problem & { planId: string }>('POST', `/v1/sessions/${session}/plans`, key, { body: { items } });

  it('refuse a tenant’s changes beyond its rate, before the body is read, and nothing else', async () => {
    gate = await new MemoryGate(undefined, { perSecond: 0.1, burst: 3, proposalsInFlight: 10 }).start();
    const [admin, other] = [await gate.tenant('acme'), await gate.tenant('other')];
    const session = await gate.session(admin);
    await gate.session(admin);
    const { planId } = (await propose(session, admin)).body;
    const refused = await gate.ask('POST', '/v1/sessions', admin, { raw: 'no JSON' });
    expect([refused.status, refused.body.code]).toEqual([429, 'TOO_MANY_REQUESTS']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(1);
    expect((await gate.ask('GET', `/v1/plans/${planId}`, admin)).status).toBe(200);
    expect((await gate.ask('POST', '/v1/sessions', other, { body: { agent: 'x' } })).status).toBe(201);
  });

  it('refuse proposals beyond those on their way', async () => {
    gate = await new MemoryGate(undefined, { perSecond: 100, burst: 100, proposalsInFlight: 1 }).start();
    const admin = await gate.tenant('acme');
    const session = await gate.session(admin);
    let answer: (error: Error) => void = () => undefined;
    const asked = new Promise<void>((resolve) => {
      gate.planner.instead.set('planner.propose', () => { resolve(); return new Promise((_, reject) => { answer = reject; }); });
    });
    const first = propose(session, admin);
    await asked;
    const second = await propose(session, admin);
    expect([second.status, second.body.code, second.headers['retry-after']]).toEqual([429, 'TOO_MANY_REQUESTS', '1']);
    answer(new Error('over'));
    await first;
    gate.planner.instead.delete('planner.propose');
    expect((await propose(session, admin)).status).toBe(201);
  });

  it('shed new proposals while the audit is behind; what is on its way goes on', async () => {
    gate = await new MemoryGate().start();
    const admin = await gate.tenant('acme');
    const session = await gate.session(admin);
    const { planId } = (await propose(session, admin)).body;
    let lagMs = 60_000;
    gate.planner.instead.set('audit.status', async (payload) => {
      expect(payload).toEqual({ whole: true });
      return { checkpoints: { GATE: { sequence: 1, logSequence: lagMs === 0 ? 1 : 2, lagMs } }, quarantined: 0 };
    });
    const until = async (status: number) => {
      for (let tries = 0; tries < 50; tries += 1) {
        const answer = await propose(session, admin);
        if (answer.status === status) return answer;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`no proposal was answered with ${status}`);
    };
    const shed = await until(429);
    expect([shed.body.code, shed.headers['retry-after']]).toEqual(['TOO_MANY_REQUESTS', '5']);
    expect((await gate.ask('GET', '/metrics')).text).toContain('countersign_audit_lag_seconds 60');
    expect((await gate.ask('POST', `/v1/plans/${planId}/cancel`, admin)).status).toBe(200);
    expect((await gate.ask('POST', '/v1/sessions', admin, { body: { agent: 'x' } })).status).toBe(201);
    lagMs = 0;
    await until(201);
  });
});
