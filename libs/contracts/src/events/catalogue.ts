import type { PrincipalId } from '../ids.js';
import type { PolicyBundle, StandingGrant } from '../policy.js';
import type { Sealed } from '../sealed.js';
import type { Freeze, TenantSettings, VetoSubscriber, Webhook } from '../tenant-settings.js';
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
  /** Teams that rules may name as approvers, e.g. `security`. */
  readonly groups?: readonly string[];
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

/** The whole of them, each time. */
export interface TenantSettingsChanged { readonly settings: TenantSettings; readonly by: PrincipalId; readonly at: string }
/** The same name again replaces it. */
export interface SubscriberRegistered { readonly subscriber: VetoSubscriber; readonly by: PrincipalId; readonly at: string }
export interface SubscriberRemoved { readonly name: string; readonly by: PrincipalId; readonly at: string }
export interface WebhookRegistered { readonly webhook: Webhook; readonly by: PrincipalId; readonly at: string }
export interface WebhookRemoved { readonly name: string; readonly by: PrincipalId; readonly at: string }
/** From now on no evaluation allows, and nothing is started, of what it names. */
export interface TenantFrozen { readonly freeze: Freeze }
export interface TenantUnfrozen { readonly freezeId: string; readonly by: PrincipalId; readonly at: string }

export type TenantEvent =
  | { readonly type: 'tenant.SettingsChanged'; readonly data: TenantSettingsChanged }
  | { readonly type: 'tenant.SubscriberRegistered'; readonly data: SubscriberRegistered }
  | { readonly type: 'tenant.SubscriberRemoved'; readonly data: SubscriberRemoved }
  | { readonly type: 'tenant.WebhookRegistered'; readonly data: WebhookRegistered }
  | { readonly type: 'tenant.WebhookRemoved'; readonly data: WebhookRemoved }
  | { readonly type: 'tenant.Frozen'; readonly data: TenantFrozen }
  | { readonly type: 'tenant.Unfrozen'; readonly data: TenantUnfrozen }
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

/** policy. Kept and named by its digest; without effect until it is activated or shadowed. */
export interface BundlePushed {
  /** SHA-256 of the canonical bundle. */
  readonly digest: string;
  readonly bundle: Sealed<PolicyBundle>;
  readonly by: PrincipalId;
  readonly at: string;
}

/** policy. The bundle in force from now on, of its layer. */
export interface BundleActivated {
  readonly version: number;
  /** SHA-256 of the canonical bundle. */
  readonly digest: string;
  /** The oldest events hold it bare. */
  readonly bundle: Sealed<PolicyBundle> | PolicyBundle;
  /** When each rule that asks was first activated, by its fingerprint: a standing allow that is younger wins over it. */
  readonly published?: Sealed<Readonly<Record<string, string>>>;
  /** Set when an earlier version was put in force again. */
  readonly rolledBackTo?: number;
  readonly by: PrincipalId;
  readonly at: string;
}

/** policy. Evaluated and recorded beside the one in force, without effect. Without a digest: none any more. */
export interface ShadowChosen { readonly digest?: string; readonly bundle?: Sealed<PolicyBundle>; readonly by: PrincipalId; readonly at: string }

export type PolicyEvent =
  | { readonly type: 'policy.BundlePushed'; readonly data: BundlePushed }
  | { readonly type: 'policy.BundleActivated'; readonly data: BundleActivated }
  | { readonly type: 'policy.ShadowChosen'; readonly data: ShadowChosen };

/** policy, asked by planner before an answer of scope always. Without effect until the answer cites it; lapses at `until`. */
export interface GrantReserved { readonly reservation: string; readonly grant: StandingGrant; readonly until: string; readonly at: string }
/** policy, once the answer that cites the reservation is durable. Counts from the next evaluation on. */
export interface GrantActivated { readonly reservation: string; readonly grant: StandingGrant; readonly at: string }
export interface GrantRevoked { readonly by: PrincipalId; readonly reason?: string; readonly at: string }

/** One standing rule: its aggregate is its match, so giving it again is the same grant anew. */
export type GrantEvent =
  | { readonly type: 'grant.Reserved'; readonly data: GrantReserved }
  | { readonly type: 'grant.Activated'; readonly data: GrantActivated }
  | { readonly type: 'grant.Revoked'; readonly data: GrantRevoked };
