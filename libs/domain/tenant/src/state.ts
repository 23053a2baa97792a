import type { ApiKeyRecord, TenantEvent, TenantRegistered } from '@countersign/contracts';
import type { Fold } from '@countersign/kernel';

export interface KeyState {
  readonly record: ApiKeyRecord;
  readonly revokedAt?: string;
}

export interface TenantState {
  /** Absent: no tenant of this id is registered. */
  readonly registered?: TenantRegistered;
  /** Every key there ever was, by its id; a revoked one stays, so that its id is not given again. */
  readonly keys: ReadonlyMap<string, KeyState>;
}

export const tenantFold: Fold<TenantState, TenantEvent> = { initial: { keys: new Map() }, evolve };

/** Total: a key id that exists is not given again, and a revoked key stays revoked. */
export function evolve(state: TenantState, event: TenantEvent): TenantState {
  switch (event.type) {
    case 'tenant.Registered':
      return state.registered ? state : event.data.keys.reduce(withKey, { ...state, registered: event.data });
    case 'tenant.KeyIssued':
      return state.registered ? withKey(state, event.data.key) : state;
    case 'tenant.KeyRevoked':
      return revoked(state, event.data.keyId, event.data.at);
    default:
      return state;
  }
}

function withKey(state: TenantState, record: ApiKeyRecord): TenantState {
  return state.keys.has(record.keyId) ? state : { ...state, keys: new Map(state.keys).set(record.keyId, { record }) };
}

function revoked(state: TenantState, keyId: string, at: string): TenantState {
  const key = state.keys.get(keyId);
  return !key || key.revokedAt ? state : { ...state, keys: new Map(state.keys).set(keyId, { ...key, revokedAt: at }) };
}

/** The key as it may be used now; undefined when it is unknown or revoked. The secret's hash is the caller's to compare. */
export function activeKey(tenant: TenantState, keyId: string): ApiKeyRecord | undefined {
  const key = tenant.keys.get(keyId);
  return key && !key.revokedAt ? key.record : undefined;
}

/** Whether this tenant may register providers that run on the gate’s own machine: server processes, and the built-in `fake`. */
export const mayStartProcesses = (tenant: TenantState): boolean => tenant.registered?.localProcesses === true;
