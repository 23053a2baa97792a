import type { IssuedKeyView, KeyListView } from '@countersign/contracts/http';
import { MemoryGate, OPERATOR_KEY } from '../spec-support/memory-gate.js';

describe('a tenant whose keys are lost', () => {
  let gate: MemoryGate;
  let admin: string;
  beforeAll(async () => {
    gate = await new MemoryGate().start();
    admin = await gate.tenant('acme');
  });
  afterAll(() => gate.stop());

  it('gets a new one from the operator, an admin’s unless told otherwise', async () => {
    const issued = await gate.ask<IssuedKeyView>('POST', '/v1/tenants/acme/keys', OPERATOR_KEY);
    expect([issued.status, issued.body.principal, issued.body.roles]).toEqual([201, 'admin', ['admin']]);
    const keys = (await gate.ask<KeyListView>('GET', '/v1/keys', issued.body.key)).body.keys;
    expect(keys.map(({ keyId }) => keyId)).toContain(issued.body.keyId);
    const other = await gate.ask<IssuedKeyView>('POST', '/v1/tenants/acme/keys', OPERATOR_KEY, { body: { principal: 'auditing', roles: ['auditor'] } });
    expect(other.body).toMatchObject({ principal: 'auditing', roles: ['auditor'] });
    expect(gate.planner.sent.at(-1)).toMatchObject({ name: 'planner.issue-key', context: { tenant: 'acme', principal: 'operator' } });
  });

  it('gets none from anybody else, and neither does a tenant that is not there', async () => {
    expect((await gate.ask('POST', '/v1/tenants/acme/keys', admin)).body.code).toBe('FORBIDDEN');
    expect((await gate.ask('POST', '/v1/tenants/acme/keys')).body.code).toBe('UNAUTHENTICATED');
    for (const tenant of ['nobody', 'a.b', '*', '%3E']) {
      expect((await gate.ask('POST', `/v1/tenants/${tenant}/keys`, OPERATOR_KEY)).body.code).toBe('NOT_FOUND');
    }
    expect((await gate.ask('POST', '/v1/tenants/acme/keys', OPERATOR_KEY, { body: { roles: ['root'] } })).body.code).toBe('INVALID_REQUEST');
  });
});
