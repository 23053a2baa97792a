import type { PrincipalId } from '../ids.js';
import type { PolicyBundle } from '../policy.js';
import type { ProviderEndpoint, ToolSchema } from '../tool-schema.js';

/** proposer: sessions and plans. worker: claims turns (later). approver: answers. author: policies and modes. admin: all of the tenant. auditor: reads. */
export const ROLES = ['proposer', 'worker', 'approver', 'author', 'admin', 'auditor'] as const;
export type Role = (typeof ROLES)[number];

/** Only the hash of a key is ever stored. */
export interface ApiKeyRecord {
  readonly keyId: string;
  /** SHA-256 of the secret part, lower-case hex; the secret is 32 random bytes, so a slow hash adds nothing. */
  readonly secretHash: string;
  readonly principal: PrincipalId;
  readonly roles: readonly Role[];
}

/** planner. */
export interface TenantRegistered {
  readonly name: string;
  /** Whether this tenant may register providers that run on the gate’s own machine: server processes, and the built-in `fake`. Set by the operator only. */
  readonly localProcesses: boolean;
  readonly keys: readonly ApiKeyRecord[];
  readonly at: string;
}
export interface ApiKeyIssued { readonly key: ApiKeyRecord; readonly by: string; readonly at: string }
export interface ApiKeyRevoked { readonly keyId: string; readonly by: string; readonly at: string }

export type TenantEvent =
  | { readonly type: 'tenant.Registered'; readonly data: TenantRegistered }
  | { readonly type: 'tenant.KeyIssued'; readonly data: ApiKeyIssued }
  | { readonly type: 'tenant.KeyRevoked'; readonly data: ApiKeyRevoked };

/** planner. A changed endpoint or catalogue is a new version; plans keep the one they were built with. */
export interface ProviderRegistered {
  readonly version: number;
  /** SHA-256 of the canonical {endpoint, operations}. */
  readonly digest: string;
  readonly endpoint: ProviderEndpoint;
  readonly operations: readonly ToolSchema[];
  readonly by: PrincipalId;
  readonly at: string;
}
export interface ProviderRemoved { readonly by: PrincipalId; readonly at: string }

export type ProviderEvent =
  | { readonly type: 'provider.Registered'; readonly data: ProviderRegistered }
  | { readonly type: 'provider.Removed'; readonly data: ProviderRemoved };

/** policy. */
export interface BundleActivated {
  readonly version: number;
  /** SHA-256 of the canonical bundle. */
  readonly digest: string;
  readonly bundle: PolicyBundle;
  readonly by: PrincipalId;
  readonly at: string;
}

export type PolicyEvent = { readonly type: 'policy.BundleActivated'; readonly data: BundleActivated };
