import type { GrantEvent, PolicyEvent, ProviderEvent, TenantEvent } from './catalogue.js';
import type { PlanEvent } from './plan.js';
import type { SessionEvent } from './session.js';

export * from './catalogue.js';
export * from './plan.js';
export * from './session.js';

export type AnyEvent = PlanEvent | SessionEvent | TenantEvent | ProviderEvent | PolicyEvent | GrantEvent;
export type EventType = AnyEvent['type'];

/** Newest version of each type this build can fold. A higher one makes its aggregate unreadable for whoever decides. */
export const EVENT_VERSIONS: Readonly<Record<EventType, number>> = {
  'plan.Proposed': 1,
  'plan.Previewed': 1,
  'plan.Evaluated': 1,
  'plan.ItemsAnswered': 1,
  'plan.ItemsVoted': 1,
  'plan.ItemCorrected': 1,
  'plan.ItemsExpired': 1,
  'plan.ApplyStarted': 1,
  'plan.Outcomes': 1,
  'plan.Closed': 1,
  'session.Opened': 1,
  'session.Granted': 1,
  'session.GrantRevoked': 1,
  'session.LimitReached': 1,
  'session.Ended': 1,
  'tenant.Registered': 1,
  'tenant.KeyIssued': 1,
  'tenant.KeyRevoked': 1,
  'tenant.SettingsChanged': 1,
  'tenant.SubscriberRegistered': 1,
  'tenant.SubscriberRemoved': 1,
  'tenant.WebhookRegistered': 1,
  'tenant.WebhookRemoved': 1,
  'tenant.Frozen': 1,
  'tenant.Unfrozen': 1,
  'provider.Registered': 1,
  'provider.Removed': 1,
  'policy.BundlePushed': 1,
  'policy.BundleActivated': 1,
  'policy.ShadowChosen': 1,
  'grant.Reserved': 1,
  'grant.Activated': 1,
  'grant.Revoked': 1,
};
