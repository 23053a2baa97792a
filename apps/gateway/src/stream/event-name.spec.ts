import type { ItemVerdict, PlanEvent, Verdict } from '@countersign/contracts';
import type { EventView, PlanView } from '@countersign/contracts/http';
import { CountersignClient, type LogEvent } from '@countersign/sdk';
import { MemoryGate } from '../spec-support/memory-gate.js';

const verdict = (itemId: string, decision: Verdict): ItemVerdict => ({ itemId, decision, decidedBy: 'policy:default', itemDigest: 'a'.repeat(64), ...(decision === 'ask' ? { expiresAt: '2999-01-01T00:00:00.000Z' } : {}) });
const evaluated = (...items: ItemVerdict[]): PlanEvent => ({
  type: 'plan.Evaluated',
  data: { round: 1, items, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: new Date().toISOString(), engine: 'spec' },
});

describe('a session’s event stream', () => {
  let gate: MemoryGate;
  beforeAll(async () => { gate = await new MemoryGate().start(); });
  afterAll(() => gate.stop());

  it('calls a verdict that asks a person a permission request, and one that asks nobody ready; the data stays the event', async () => {
    const key = await gate.key(await gate.tenant('acme'), 'bot', 'proposer', 'approver');
    const session = await gate.session(key);
    const propose = async (...callIds: string[]): Promise<PlanView> => (await gate.ask<PlanView>('POST', `/v1/sessions/${session}/plans`, key, {
      body: { items: callIds.map((callId) => ({ callId, provider: 'files', operation: 'write_file', input: {} })) },
    })).body;
    const asked = await propose('a', 'b');
    await gate.append('policy', 'acme', asked.planId, evaluated(verdict('i1', 'allow'), verdict('i2', 'ask')));
    const judged = await propose('c', 'd');
    await gate.append('policy', 'acme', judged.planId, evaluated(verdict('i1', 'allow'), verdict('i2', 'deny')));

    const seen: LogEvent[] = [];
    const over = new AbortController();
    for await (const event of new CountersignClient({ url: `http://127.0.0.1:${gate.port}`, apiKey: key }).events({ session, cursor: 'start', signal: over.signal })) {
      seen.push(event);
      if (seen.length === 5) break;
    }
    over.abort();
    expect(seen.map(({ event }) => event)).toEqual(['session.Opened', 'plan.Proposed', 'permission_request', 'plan.Proposed', 'plan_ready']);
    expect(seen[2]!.data as EventView).toMatchObject({ type: 'plan.Evaluated', aggregateId: asked.planId, data: { items: [{ decision: 'allow' }, { itemId: 'i2', decision: 'ask' }] } });
    expect(seen[4]!.data as EventView).toMatchObject({ type: 'plan.Evaluated', aggregateId: judged.planId });
  });
});
