import type { PolicyBundle, SessionEvent } from '@countersign/contracts';
import { planFacts } from '@countersign/testkit';
import { at, policyInMemory } from '../test/policy-in-memory.js';

const granted = (decision: 'allow' | 'deny', grantId = 'g1'): SessionEvent => ({
  type: 'session.Granted', data: { grant: { grantId, provider: 'files', operation: 'write', decision, by: 'ann', origin: { plan: planFacts.PLAN_ID, itemId: 'i1' }, at: at(0) } },
});
async function withSession(more: Parameters<ReturnType<typeof policyInMemory>['openSession']>[0] = {}) {
  const policy = policyInMemory();
  await policy.openSession(more);
  const guard = (rules: PolicyBundle['rules']) => policy.bundles.activate({ context: policy.context, layer: 'guardrails', bundle: { rules }, at: at(0) });
  const judged = async (...names: string[]) => { await policy.asked(await policy.propose(names)); return policy.verdicts(); };
  return { policy, guard, judged };
}

describe('the layers, from what the log says of them', () => {
  it('a session’s grant lifts an ask, and its denial suppresses an allow', async () => {
    const { policy, judged } = await withSession();
    await policy.session(granted('allow'));
    await policy.activate([{ id: 'puts', match: { tool_name: 'put' }, action: 'allow' }]);
    expect(await judged('write', 'put')).toEqual(['i1 allow session:ann', 'i2 allow policy:puts']);
    const denied = await withSession();
    await denied.policy.session(granted('deny'));
    await denied.policy.activate([{ id: 'writes', match: { tool_name: 'write' }, action: 'allow' }]);
    expect(await denied.judged('write')).toEqual(['i1 deny session:ann']);
  });

  it('a guardrail denies over all, and its ask is lifted by nothing', async () => {
    const { policy, guard, judged } = await withSession();
    await policy.session(granted('allow'));
    await policy.activate([{ id: 'all', match: {}, action: 'allow' }]);
    await guard([{ id: 'look', match: { tool_name: 'write' }, action: 'ask' }, { id: 'no-puts', match: { tool_name: 'put' }, action: 'deny' }]);
    expect(await judged('write', 'put', 'read')).toEqual(['i1 ask guardrail:look', 'i2 deny guardrail:no-puts', 'i3 allow policy:all']);
    expect(policy.events().at(-1)).toMatchObject({
      data: {
        guardrails: { version: 1 },
        items: [{ terms: { scopes: ['once'] }, layers: [{ layer: 'policy', says: 'allow', by: 'policy:all' }, { layer: 'session_allow' }, { layer: 'guardrail_ask', says: 'ask' }] }, {}, {}],
      },
    });
  });

  it('a freeze, a trip and the end of the session deny what they cover', async () => {
    const { policy, judged } = await withSession();
    await policy.tenant({ type: 'tenant.Frozen', data: { freeze: { freezeId: 'f1', target: { operation: 'write' }, by: 'root', reason: 'incident', at: at(0) } } });
    expect(await judged('write', 'read')).toEqual(['i1 deny freeze:root', 'i2 allow policy:default']);
    const tripped = await withSession();
    await tripped.policy.session({ type: 'session.LimitReached', data: { cause: 'doom_loop', detail: 'again', items: [], endsAt: at(300), at: at(0) } });
    expect(await tripped.judged('read')).toEqual(['i1 deny loop']);
  });

  it('the permission mode lifts asks or denies them', async () => {
    const settings = { breaker: { consecutive: 5, count: 10, windowMs: 60_000 }, doomLoop: { repeats: 3, within: 8 }, bypassPermissions: true, standingGrants: true, unfreezeBySecondPerson: false };
    const bypassing = await withSession({ permissionMode: 'bypassPermissions' });
    expect(await bypassing.judged('write')).toEqual(['i1 ask policy:default']);
    const permitted = await withSession({ permissionMode: 'bypassPermissions' });
    await permitted.policy.tenant({ type: 'tenant.SettingsChanged', data: { settings, by: 'root', at: at(0) } });
    expect(await permitted.judged('write')).toEqual(['i1 allow mode:bypassPermissions']);
    expect(await (await withSession({ permissionMode: 'dontAsk' })).judged('write')).toEqual(['i1 deny mode:dontAsk']);
    expect(await (await withSession({ permissionMode: 'plan' })).judged('write', 'read')).toEqual(['i1 deny mode:plan', 'i2 allow policy:default']);
  });

  it('a shadow bundle is recorded beside the verdict, without effect', async () => {
    const { policy, judged } = await withSession();
    await policy.bundles.chooseShadow({ context: policy.context, bundle: { rules: [{ id: 'strict', match: {}, action: 'deny' }] }, at: at(0) });
    expect(await judged('read')).toEqual(['i1 allow policy:default']);
    expect(policy.events().at(-1)).toMatchObject({ data: { shadow: { digest: expect.any(String) }, items: [{ shadow: { decision: 'deny', decidedBy: 'policy:strict' } }] } });
  });

  it('a condition reads arguments that lie beside the log, and such that are lost never allow', async () => {
    const { policy } = await withSession();
    await policy.activate([{ id: 'small', match: { tool_name: 'put' }, when: 'input.n < 5', action: 'allow' }, { id: 'big', match: { tool_name: 'write' }, when: 'input.n > 5', action: 'deny' }]);
    const body = Buffer.from('{"n":3}');
    const { digest, bytes } = planFacts.sealedInline({ n: 3 });
    await policy.blobs.put('BLOBS', 'acme', digest, body);
    const items = [
      { itemId: 'i1', callId: 'c1', operation: 'files/put', input: { digest, bytes, store: 'BLOBS' as const } },
      { itemId: 'i2', callId: 'c2', operation: 'files/put', input: { digest: '0'.repeat(64), bytes: 7, store: 'BLOBS' as const } },
      { itemId: 'i3', callId: 'c3', operation: 'files/write', input: { digest: '0'.repeat(64), bytes: 7, store: 'BLOBS' as const } },
    ];
    await policy.asked(await policy.propose([], { items }));
    expect(policy.verdicts()).toEqual(['i1 allow policy:small', 'i2 ask policy:default', 'i3 deny policy:big']);
  });

  it('what cannot be read judges nothing: the items stay pending', async () => {
    const { policy, judged } = await withSession();
    const rules = Array.from({ length: 300 }, (_, index) => ({ id: `r${index}`, match: { tool_name: `op${index}` }, action: 'deny' as const, message: 'x'.repeat(200) }));
    const { digest } = await policy.bundles.activate({ context: policy.context, layer: 'guardrails', bundle: { rules }, at: at(0) });
    policy.blobs.lose('BLOBS', 'acme', digest);
    await expect(judged('read', 'write')).rejects.toMatchObject({ code: 'BLOB_MISSING' });
    expect(policy.verdicts()).toEqual([]);
  });
});
