import {
  DEFAULT_TENANT_SETTINGS, type ApiKeyRecord, type Freeze, type TenantEvent, type TenantRegistered, type TenantSettings, type VetoSubscriber, type Webhook,
} from '@countersign/contracts';
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
  /** As they were last changed; absent: never. Read them by `settingsOf`. */
  readonly settings?: TenantSettings;
  /** Of now, by name. */
  readonly subscribers: ReadonlyMap<string, VetoSubscriber>;
  readonly webhooks: ReadonlyMap<string, Webhook>;
  /** Highest secret version that was ever given out, by `veto <name>` or `webhook <name>`: a name that comes back gets another secret. */
  readonly secretVersions: ReadonlyMap<string, number>;
  /** In force, by id. */
  readonly freezes: ReadonlyMap<string, Freeze>;
  /** Freezes that somebody else must lift: the settings said so when they were made. */
  readonly secondPersonFor: ReadonlySet<string>;
  /** Ids of freezes that were lifted. */
  readonly lifted: ReadonlySet<string>;
}

export const tenantFold: Fold<TenantState, TenantEvent> = {
  initial: {
    keys: new Map(), subscribers: new Map(), webhooks: new Map(), secretVersions: new Map(), freezes: new Map(), secondPersonFor: new Set(), lifted: new Set(),
  },
  evolve,
};

/** Total: a key id that exists is not given again, a revoked key stays revoked, and a freeze that was lifted does not come back. */
export function evolve(state: TenantState, event: TenantEvent): TenantState {
  if (event.type === 'tenant.Registered') return state.registered ? state : event.data.keys.reduce(withKey, { ...state, registered: event.data });
  if (!state.registered) return state;
  switch (event.type) {
    case 'tenant.KeyIssued':
      return withKey(state, event.data.key);
    case 'tenant.KeyRevoked':
      return revoked(state, event.data.keyId, event.data.at);
    case 'tenant.SettingsChanged':
      return { ...state, settings: event.data.settings };
    case 'tenant.SubscriberRegistered':
      return { ...state, subscribers: withNamed(state.subscribers, event.data.subscriber), secretVersions: withVersion(state, 'veto', event.data.subscriber) };
    case 'tenant.SubscriberRemoved':
      return { ...state, subscribers: without(state.subscribers, event.data.name) };
    case 'tenant.WebhookRegistered':
      return { ...state, webhooks: withNamed(state.webhooks, event.data.webhook), secretVersions: withVersion(state, 'webhook', event.data.webhook) };
    case 'tenant.WebhookRemoved':
      return { ...state, webhooks: without(state.webhooks, event.data.name) };
    case 'tenant.Frozen':
      return frozen(state, event.data.freeze);
    case 'tenant.Unfrozen':
      return unfrozen(state, event.data.freezeId);
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

const withNamed = <T extends { readonly name: string }>(all: ReadonlyMap<string, T>, one: T): ReadonlyMap<string, T> => new Map(all).set(one.name, one);

type Signed = Pick<Webhook, 'name' | 'secretVersion'>;
const withVersion = (state: TenantState, kind: 'veto' | 'webhook', { name, secretVersion }: Signed): TenantState['secretVersions'] =>
  new Map(state.secretVersions).set(`${kind} ${name}`, Math.max(secretVersion, lastSecretVersion(state, kind, name)));

function without<T>(all: ReadonlyMap<string, T>, name: string): ReadonlyMap<string, T> {
  return all.has(name) ? new Map([...all].filter(([other]) => other !== name)) : all;
}

function frozen(state: TenantState, freeze: Freeze): TenantState {
  const { freezeId } = freeze;
  if (state.freezes.has(freezeId) || state.lifted.has(freezeId)) return state;
  const secondPersonFor = settingsOf(state).unfreezeBySecondPerson ? new Set(state.secondPersonFor).add(freezeId) : state.secondPersonFor;
  return { ...state, freezes: new Map(state.freezes).set(freezeId, freeze), secondPersonFor };
}

function unfrozen(state: TenantState, freezeId: string): TenantState {
  return state.freezes.has(freezeId) ? { ...state, freezes: without(state.freezes, freezeId), lifted: new Set(state.lifted).add(freezeId) } : state;
}

/** 0: none was ever given out. */
export const lastSecretVersion = (state: TenantState, kind: 'veto' | 'webhook', name: string): number => state.secretVersions.get(`${kind} ${name}`) ?? 0;

/** The key as it may be used now; undefined when it is unknown or revoked. The secret's hash is the caller's to compare. */
export function activeKey(tenant: TenantState, keyId: string): ApiKeyRecord | undefined {
  const key = tenant.keys.get(keyId);
  return key && !key.revokedAt ? key.record : undefined;
}

/** Whether this tenant may register providers that run on the gate’s own machine: server processes, and the built-in `fake`. */
export const mayStartProcesses = (tenant: TenantState): boolean => tenant.registered?.localProcesses === true;

/** What holds now: as last changed, else the defaults. */
export const settingsOf = (tenant: TenantState): TenantSettings => tenant.settings ?? DEFAULT_TENANT_SETTINGS;

export interface Freezable {
  readonly session: string;
  readonly agent: string;
  readonly provider: string;
  /** The operation's name. */
  readonly operation: string;
}

/** The oldest freeze in force that covers the call: every field it gives is the call's. */
export function freezeCovering(tenant: TenantState, call: Freezable): Freeze | undefined {
  return [...tenant.freezes.values()].find(({ target }) =>
    (target.session === undefined || target.session === call.session)
    && (target.agent === undefined || target.agent === call.agent)
    && (target.provider === undefined || target.provider === call.provider)
    && (target.operation === undefined || target.operation === call.operation));
}
