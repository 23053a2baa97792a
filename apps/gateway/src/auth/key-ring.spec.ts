import { LIMITS, tenantKey, type ApiKeyRecord, type NewEvent, type TenantEvent } from '@countersign/contracts';
import { tenantFold } from '@countersign/domain-tenant';
import { InMemoryBroker, InMemoryEventLog, createAggregateStore } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { MemoryFeed } from '../spec-support/memory-gate.js';
import { makeApiKey } from './api-key.js';
import { KeyRing } from './key-ring.js';

const meta = { actor: 'service:planner', correlationId: 'spec' };

function ring() {
  const broker = new InMemoryBroker();
  const log = new InMemoryEventLog('planner', broker);
  const feed = new MemoryFeed(broker);
  const store = createAggregateStore(new InMemoryEventLog('gateway', broker), tenantFold);
  let asked = 0;
  let now = 0;
  const tenants = { fresh: (key: Parameters<typeof store.fresh>[0]) => { asked += 1; return store.fresh(key); } };
  const keys = new KeyRing(tenants, feed, () => now);
  const append = async (event: TenantEvent): Promise<void> => {
    const key = tenantKey('acme');
    await log.append(key, await log.end(key), { ...event, meta } as NewEvent);
  };
  const register = (record: ApiKeyRecord) => append({ type: 'tenant.Registered', data: { name: 'Acme', localProcesses: false, keys: [record], at: 'now' } });
  const revoke = (keyId: string) => append({ type: 'tenant.KeyRevoked', data: { keyId, by: 'admin', at: 'now' } });
  return { keys, feed, tenants, register, revoke, questions: () => asked, pass: (ms: number) => { now += ms; } };
}

const { text, record } = makeApiKey('acme', 'k1', { principal: 'bot', roles: ['proposer'] });
const settle = () => new Promise((resolve) => setTimeout(resolve, 1));

describe('the key ring', () => {
  it('asks the leader once for what it relies on, and again when the time is over', async () => {
    const { keys, register, questions, pass } = ring();
    await register(record);
    for (let use = 0; use < 10; use += 1) expect(await keys.authenticate(text)).toMatchObject({ tenant: 'acme', principal: 'bot', keyId: 'k1' });
    const before = questions();
    expect(before).toBeLessThanOrEqual(2);
    pass(LIMITS.keyCacheMs + 1);
    await keys.authenticate(text);
    expect(questions()).toBe(before + 1);
  });

  it('refuses a revoked key although the time to rely on it is not over', async () => {
    const { keys, register, revoke } = ring();
    await register(record);
    for (let use = 0; use < 3; use += 1) await keys.authenticate(text);
    await revoke('k1');
    await settle();
    await expect(keys.authenticate(text)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('relies on nothing after the feed has lost something', async () => {
    const { keys, feed, register, revoke } = ring();
    await register(record);
    for (let use = 0; use < 3; use += 1) await keys.authenticate(text);
    feed.losing = true;
    await revoke('k1');
    await settle();
    feed.missed();
    await expect(keys.authenticate(text)).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('tells a lasting request that its key was revoked', async () => {
    const { keys, register, revoke } = ring();
    await register(record);
    const caller = await keys.authenticate(text);
    let told = 0;
    const leave = keys.whenRevoked(caller, () => { told += 1; });
    await revoke('other');
    await settle();
    expect(told).toBe(0);
    await revoke('k1');
    await settle();
    expect(told).toBe(1);
    leave();
  });

  it('gives nobody an answer that is older than his question', async () => {
    const { keys, tenants, register, revoke } = ring();
    await register(record);
    const answers: (() => void)[] = [];
    const { fresh } = tenants;
    tenants.fresh = async (key) => {
      const answer = await fresh(key);
      await new Promise<void>((resolve) => { answers.push(resolve); });
      return answer;
    };
    const before = keys.authenticate(text);
    await settle();
    await revoke('k1');
    const after = [keys.authenticate(text), keys.authenticate(text)];
    const refused = Promise.all(after.map((one) => expect(one).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })));
    answers.shift()!();
    await before;
    await settle();
    expect(answers).toHaveLength(1);
    answers.shift()!();
    await refused;
  });

  it('lets nobody in when the log cannot be asked', async () => {
    const { keys, tenants, register } = ring();
    await register(record);
    tenants.fresh = async () => { throw new GateError('UNAVAILABLE'); };
    await expect(keys.authenticate(text)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  });
});
