import { DEFAULT_TENANT_SETTINGS, LIMITS } from '@countersign/contracts';
import { plannerInMemory, refusalOf } from '../test/planner-in-memory.js';

const lastFact = (planner: ReturnType<typeof plannerInMemory>) => planner.broker.all('CATALOG').at(-1);

describe('what a tenant’s admin sets', () => {
  it('is written down under the name of who did it, and once', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const { care } = planner;
    const said = { context: planner.context('boss'), at: planner.at() };
    const settings = { ...DEFAULT_TENANT_SETTINGS, unfreezeBySecondPerson: true };
    expect(await care.changeSettings({ ...said, settings })).toEqual({ sequence: 3 });
    expect(await care.changeSettings({ ...said, settings })).toEqual({ sequence: 3, repeated: true });
    expect(lastFact(planner)).toMatchObject({ type: 'tenant.SettingsChanged', data: { settings, by: 'boss' }, meta: { actor: 'person:boss' } });
  });

  it('names the secret’s version of what the gate calls', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const { care } = planner;
    const said = { context: planner.context(), at: planner.at() };
    const subscriber = { name: 'scan', url: 'https://veto.example/', deadlineMs: 500 };
    expect(await care.registerSubscriber({ ...said, subscriber })).toMatchObject({ version: 1 });
    await care.removeSubscriber({ ...said, name: 'scan' });
    expect(await care.registerSubscriber({ ...said, subscriber })).toMatchObject({ version: 2 });
    const webhook = { name: 'chat', url: 'https://hooks.example/', events: ['asked'], format: 'slack' } as const;
    expect(await care.registerWebhook({ ...said, webhook })).toMatchObject({ version: 1 });
    expect(await care.removeWebhook({ ...said, name: 'chat' })).toMatchObject({ sequence: expect.any(Number) });
    expect(await refusalOf(care.registerWebhook({ ...said, webhook: { ...webhook, url: 'http://hooks.example/' } }))).toMatchObject({ code: 'URL_NOT_ALLOWED' });
    expect(await refusalOf(care.removeWebhook({ ...said, name: 'never' }))).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('is bounded in how often it changes, and a tenant can still be frozen and its keys revoked then', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const { care, tenants } = planner;
    const said = { context: planner.context(), at: planner.at() };
    const flip = (bypassPermissions: boolean) => care.changeSettings({ ...said, settings: { ...DEFAULT_TENANT_SETTINGS, bypassPermissions } });
    let refused: Awaited<ReturnType<typeof refusalOf>> = {};
    for (let times = 1; times <= LIMITS.aggregateRevisions && refused.code === undefined; times += 1) refused = await refusalOf(flip(times % 2 === 1));
    expect(refused.code).toBe('AGGREGATE_TOO_LONG');
    const key = { keyId: 'k2', secretHash: 'a'.repeat(64), principal: 'other', roles: ['admin' as const] };
    expect(await refusalOf(tenants.issueKey({ ...said, key }))).toMatchObject({ code: 'AGGREGATE_TOO_LONG' });
    await care.freeze({ ...said, freezeId: 'f1', target: {}, reason: 'odd' });
    await care.unfreeze({ ...said, freezeId: 'f1' });
    await tenants.revokeKey({ ...said, keyId: 'k1' });
    expect(lastFact(planner)).toMatchObject({ type: 'tenant.KeyRevoked' });
  });

  it('freezes, and is lifted by somebody else where the settings say so', async () => {
    const planner = plannerInMemory();
    await planner.ready();
    const { care } = planner;
    const at = planner.at();
    await care.changeSettings({ context: planner.context(), settings: { ...DEFAULT_TENANT_SETTINGS, unfreezeBySecondPerson: true }, at });
    await care.freeze({ context: planner.context(), freezeId: 'f1', target: { agent: 'coder' }, reason: 'odd', at });
    expect(lastFact(planner)).toMatchObject({ type: 'tenant.Frozen', data: { freeze: { freezeId: 'f1', target: { agent: 'coder' }, by: 'ops', reason: 'odd' } } });
    expect(await refusalOf(care.unfreeze({ context: planner.context(), freezeId: 'f1', at }))).toMatchObject({ code: 'SECOND_PERSON_REQUIRED' });
    await care.unfreeze({ context: planner.context('second'), freezeId: 'f1', at });
    expect(lastFact(planner)).toMatchObject({ type: 'tenant.Unfrozen', data: { freezeId: 'f1', by: 'second' } });
    expect(await refusalOf(care.freeze({ context: planner.context('ops', 'nobody'), freezeId: 'f1', target: {}, reason: 'odd', at }))).toMatchObject({ code: 'NOT_FOUND' });
  });
});
