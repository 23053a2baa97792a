import type { DecisionsView, EventListView, PlanView, Problem } from '@countersign/contracts/http';
import { MemoryGate } from '../spec-support/memory-gate.js';

/** A scope that would not hold must never be taken for a narrower one. */
describe('the scope of an answer', () => {
  let gate: MemoryGate;
  let approver: string;
  let planId: string;
  const digest = 'a'.repeat(64);
  beforeEach(async () => {
    gate = await new MemoryGate().start();
    const admin = await gate.tenant('acme');
    const proposer = await gate.key(admin, 'bot', 'proposer');
    approver = await gate.key(admin, 'ops', 'approver');
    const items = ['c1', 'c2'].map((callId) => ({ callId, provider: 'files', operation: 'write_file', input: {} }));
    ({ planId } = (await gate.ask<PlanView>('POST', `/v1/sessions/${await gate.session(proposer)}/plans`, proposer, { body: { items } })).body);
    await gate.append('policy', 'acme', planId, {
      type: 'plan.Evaluated',
      data: {
        round: 1, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: new Date().toISOString(), engine: 'spec',
        items: ['i1', 'i2'].map((itemId) => ({ itemId, decision: 'ask', decidedBy: 'policy:default', itemDigest: digest, expiresAt: '2999-01-01T00:00:00.000Z' })),
      },
    });
  });
  afterEach(() => gate.stop());

  const decide = (scope: string | undefined) =>
    gate.ask<Problem>('POST', `/v1/plans/${planId}/items/i1/decision`, approver, { body: { decision: 'approve', itemDigest: digest, ...(scope === undefined ? {} : { scope }) } });
  const items = async () => (await gate.ask<PlanView>('GET', `/v1/plans/${planId}`, approver)).body.items;

  it.each(['session', 'always', 'SESSION', 'ALWAYS', 'forever'])('%j is refused by name and answers nothing: it is not downgraded', async (scope) => {
    const { status, body } = await decide(scope);
    expect([status, body.code]).toEqual([422, 'SCOPE_NOT_SUPPORTED']);
    expect((await items()).map((item) => [item.decision, item.answer])).toEqual([['ask', undefined], ['ask', undefined]]);
  });

  it('of one answer in a batch refuses that one alone', async () => {
    const { body } = await gate.ask<DecisionsView>('POST', `/v1/plans/${planId}/decisions`, approver, { body: { decisions: [
      { itemId: 'i1', decision: 'approve', itemDigest: digest, scope: 'always' }, { itemId: 'i2', decision: 'approve', itemDigest: digest, scope: 'once' },
    ] } });
    expect(body.results).toMatchObject([{ itemId: 'i1', ok: false, problem: { code: 'SCOPE_NOT_SUPPORTED' } }, { itemId: 'i2', ok: true }]);
    expect((await items()).map((item) => item.decision)).toEqual(['ask', 'allow']);
  });

  it.each([undefined, 'once'])('is the item and nothing more: %s', async (scope) => {
    expect((await decide(scope)).status).toBe(200);
    expect((await items()).map((item) => item.decision)).toEqual(['allow', 'ask']);
    const { events } = (await gate.ask<EventListView>('GET', `/v1/plans/${planId}/events`, approver)).body;
    expect(events.at(-1)!.data).toMatchObject({ answers: [{ itemId: 'i1', decision: 'approve', scope: 'once' }] });
  });
});
