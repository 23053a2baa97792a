import type { ApiKeyRecord, Role, TenantEvent } from '@countersign/contracts';
import { foldOf } from '@countersign/kernel';
import { scenario } from '@countersign/testkit';
import fc from 'fast-check';
import { activeKey, evolve, issueKey, mayStartProcesses, registerTenant, revokeKey, tenantFold } from './index.js';

const at = '2026-03-01T10:00:00.000Z';
const key = (keyId: string, roles: readonly Role[] = ['admin']): ApiKeyRecord => ({ keyId, secretHash: 'ab'.repeat(32), principal: 'ops', roles });
const registration = { name: 'Acme', localProcesses: true, keys: [key('k1')], at };
const registered: TenantEvent = { type: 'tenant.Registered', data: registration };
const issued = (keyId: string): TenantEvent => ({ type: 'tenant.KeyIssued', data: { key: key(keyId), by: 'ops', at } });
const revoked = (keyId: string): TenantEvent => ({ type: 'tenant.KeyRevoked', data: { keyId, by: 'ops', at } });

describe('registerTenant', () => {
  const on = scenario(tenantFold, registerTenant);
  it('registers once', () => {
    on.given([]).when(registration).then([registered]).thenReply({ repeated: false });
    on.given([registered]).when({ ...registration, at: 'later' }).thenNothing().thenReply({ repeated: true });
    on.given([registered]).when({ ...registration, localProcesses: false }).thenRefused('TENANT_EXISTS');
  });

  it.each([
    ['a name that is empty', { name: '' }],
    ['a principal that is no token', { keys: [{ ...key('k1'), principal: 'a.b' }] }],
    ['a secret instead of its hash', { keys: [{ ...key('k1'), secretHash: 'secret' }] }],
    ['a key without a role', { keys: [key('k1', [])] }],
    ['an unknown role', { keys: [key('k1', ['root' as Role])] }],
    ['two keys of one id', { keys: [key('k1'), key('k1')] }],
  ])('refuses %s', (_what, change) => {
    on.given([]).when({ ...registration, ...change }).thenRefused('INVALID_REQUEST');
  });
});

describe('keys', () => {
  const issue = scenario(tenantFold, issueKey);
  const revoke = scenario(tenantFold, revokeKey);

  it('issues a key once', () => {
    const command = { key: key('k2'), by: 'ops', at };
    issue.given([registered]).when(command).then([issued('k2')]);
    issue.given([registered, issued('k2')]).when(command).thenNothing().thenReply({ repeated: true });
    issue.given([registered, issued('k2')]).when({ ...command, key: key('k2', ['auditor']) }).thenRefused('IDEMPOTENCY_KEY_REUSED');
    issue.given([]).when(command).thenRefused('NOT_FOUND');
  });

  it('issues no second key for the same request, whose secret would be another', () => {
    const again = { key: { ...key('k2', ['auditor', 'proposer']), secretHash: 'f'.repeat(64) }, by: 'ops', at };
    issue.given([registered, { type: 'tenant.KeyIssued', data: { key: key('k2', ['proposer', 'auditor']), by: 'ops', at } }]).when(again).thenRefused('KEY_ALREADY_ISSUED', { keyId: 'k2' });
    issue.given([registered, issued('k2')]).when({ ...again, key: { ...again.key, principal: 'somebody-else' } }).thenRefused('IDEMPOTENCY_KEY_REUSED', { keyId: 'k2' });
  });

  it('revokes a key once, for good', () => {
    const command = { keyId: 'k1', by: 'ops', at };
    revoke.given([registered]).when(command).then([revoked('k1')]);
    revoke.given([registered, revoked('k1')]).when(command).thenNothing().thenReply({ repeated: true });
    revoke.given([registered]).when({ ...command, keyId: 'k9' }).thenRefused('NOT_FOUND');
    const tenant = foldOf(tenantFold, [registered, revoked('k1'), issued('k1'), issued('k2')]);
    expect(activeKey(tenant, 'k1')).toBeUndefined();
    expect(activeKey(tenant, 'k2')).toEqual(key('k2'));
    expect(activeKey(tenant, 'k9')).toBeUndefined();
  });

  it('knows who may start processes, and nobody unregistered may', () => {
    expect(mayStartProcesses(foldOf(tenantFold, [registered]))).toBe(true);
    expect(mayStartProcesses(tenantFold.initial)).toBe(false);
  });
});

describe('laws of the tenant', () => {
  const id = fc.constantFrom('k1', 'k2', 'k3');
  const facts = fc.array(fc.oneof(fc.constant(registered), id.map(issued), id.map(revoked), fc.constant({ type: 'x' } as unknown as TenantEvent)), { maxLength: 10 });

  it('folds in parts as in one, and a revoked key never works again', () => {
    fc.assert(fc.property(facts, facts, (first, later) => {
      const before = foldOf(tenantFold, first);
      const after = later.reduce(evolve, before);
      expect(after).toEqual(foldOf(tenantFold, [...first, ...later]));
      for (const [keyId, known] of before.keys) if (known.revokedAt) expect(activeKey(after, keyId)).toBeUndefined();
    }));
  });

  it('deciding twice changes nothing', () => {
    fc.assert(fc.property(facts, id, (events, keyId) => {
      const tenant = foldOf(tenantFold, [registered, ...events]);
      if (!tenant.keys.has(keyId)) return;
      const next = revokeKey(tenant, { keyId, by: 'ops', at }).event;
      expect(revokeKey(next ? evolve(tenant, next) : tenant, { keyId, by: 'ops', at }).event).toBeUndefined();
    }));
  });
});
