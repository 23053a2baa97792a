import { ID_PATTERN, LIMITS, ROLES, type ApiKeyIssued, type ApiKeyRecord, type ApiKeyRevoked, type TenantEvent, type TenantRegistered } from '@countersign/contracts';
import { GateError, canonicalJson, type Decision } from '@countersign/kernel';
import type { TenantState } from '../state.js';

export interface Repeatable { readonly repeated: boolean }

/** The same registration again (whenever) says nothing. @throws GateError TENANT_EXISTS, INVALID_REQUEST */
export function registerTenant(tenant: TenantState, command: TenantRegistered): Decision<TenantEvent, Repeatable> {
  if (tenant.registered) {
    if (same({ ...tenant.registered, at: '' }, { ...command, at: '' })) return { reply: { repeated: true } };
    throw new GateError('TENANT_EXISTS');
  }
  if (command.name.length === 0 || command.name.length > LIMITS.nameChars) {
    throw new GateError('INVALID_REQUEST', `A tenant's name has 1 to ${LIMITS.nameChars} characters`);
  }
  command.keys.forEach(checkKey);
  if (new Set(command.keys.map((key) => key.keyId)).size < command.keys.length) {
    throw new GateError('INVALID_REQUEST', 'Two keys have the same id');
  }
  return { event: { type: 'tenant.Registered', data: command }, reply: { repeated: false } };
}

/**
 * A key's secret is made anew with each request and shown once, so the same request again cannot be answered as the first was.
 * @throws GateError NOT_FOUND, INVALID_REQUEST, KEY_ALREADY_ISSUED when a key of that id stands for the same, IDEMPOTENCY_KEY_REUSED
 * when it stands for another principal or other roles
 */
export function issueKey(tenant: TenantState, command: ApiKeyIssued): Decision<TenantEvent, Repeatable> {
  requireRegistered(tenant);
  checkKey(command.key);
  const known = tenant.keys.get(command.key.keyId);
  if (!known) return { event: { type: 'tenant.KeyIssued', data: command }, reply: { repeated: false } };
  if (same(known.record, command.key)) return { reply: { repeated: true } };
  const { keyId } = command.key;
  if (!same(stoodFor(known.record), stoodFor(command.key))) throw new GateError('IDEMPOTENCY_KEY_REUSED', `The key ${keyId} was issued under this Idempotency-Key for another principal or other roles`, { keyId });
  throw new GateError(
    'KEY_ALREADY_ISSUED', `The key ${keyId} was issued under this Idempotency-Key, and its secret was in the first answer only. When that is lost, revoke the key and issue another under another Idempotency-Key`, { keyId },
  );
}

/** From the next request on nobody gets in with it. @throws GateError NOT_FOUND */
export function revokeKey(tenant: TenantState, command: ApiKeyRevoked): Decision<TenantEvent, Repeatable> {
  requireRegistered(tenant);
  const known = tenant.keys.get(command.keyId);
  if (!known) throw new GateError('NOT_FOUND', `There is no key ${command.keyId}`);
  return known.revokedAt ? { reply: { repeated: true } } : { event: { type: 'tenant.KeyRevoked', data: command }, reply: { repeated: false } };
}

/** @throws GateError NOT_FOUND */
export function requireRegistered(tenant: TenantState): void {
  if (!tenant.registered) throw new GateError('NOT_FOUND', 'There is no such tenant');
}

function checkKey(key: ApiKeyRecord): void {
  if (!ID_PATTERN.test(key.principal)) throw new GateError('INVALID_REQUEST', 'A principal is named in lower-case letters, digits, - and _');
  if (!/^[0-9a-f]{64}$/.test(key.secretHash)) throw new GateError('INVALID_REQUEST', 'A key is registered by the SHA-256 of its secret');
  if (key.keyId.length === 0 || key.keyId.length > LIMITS.nameChars) throw new GateError('INVALID_REQUEST', 'A key needs an id');
  if (key.roles.length === 0 || key.roles.some((role) => !ROLES.includes(role))) {
    throw new GateError('INVALID_REQUEST', `A key has at least one role of ${ROLES.join(', ')}`);
  }
  checkGroups(key.groups ?? []);
}

/** A group that is called as a role would count as that role wherever rules name approvers. */
function checkGroups(groups: readonly string[]): void {
  if (groups.length > LIMITS.approvalGroups || new Set(groups).size < groups.length) throw new GateError('INVALID_REQUEST', `A key is in up to ${LIMITS.approvalGroups} groups, each named once`);
  if (groups.some((group) => !ID_PATTERN.test(group))) throw new GateError('INVALID_REQUEST', 'A group is named in lower-case letters, digits, - and _');
  const role = groups.find((group) => (ROLES as readonly string[]).includes(group));
  if (role !== undefined) throw new GateError('INVALID_REQUEST', `${role} is a role, not a group`);
}

const stoodFor = ({ principal, roles, groups = [] }: ApiKeyRecord): object => ({ principal, roles: [...roles].sort(), groups: [...groups].sort() });
const same = (one: unknown, other: unknown): boolean => canonicalJson(one) === canonicalJson(other);
