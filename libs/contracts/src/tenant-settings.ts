import type { PrincipalId } from './ids.js';

/** What a tenant's admin sets. Changed as a whole. */
export interface TenantSettings {
  /** Denials in one session until it has its final turn. 0: off. */
  readonly breaker: { readonly consecutive: number; readonly count: number; readonly windowMs: number };
  /** The same call (operation and canonical input) this many times in a row within the last `within` calls. 0: off. */
  readonly doomLoop: { readonly repeats: number; readonly within: number };
  /** Whether sessions of mode `bypassPermissions` may be opened, and lift asks. */
  readonly bypassPermissions: boolean;
  /** Whether an answer of scope always may become a standing rule; else POLICY_STORE_READ_ONLY. */
  readonly standingGrants: boolean;
  /** Whoever froze does not lift it. */
  readonly unfreezeBySecondPerson: boolean;
}

export const DEFAULT_TENANT_SETTINGS: TenantSettings = {
  breaker: { consecutive: 5, count: 10, windowMs: 10 * 60_000 },
  doomLoop: { repeats: 3, within: 8 },
  bypassPermissions: false,
  standingGrants: true,
  unfreezeBySecondPerson: false,
};

/**
 * An external check that is asked about every resource item that is not denied yet, at each evaluation, and can only deny.
 * Its requests are signed as webhooks are; the secret is derived from the installation's key and stands in no event.
 */
export interface VetoSubscriber {
  readonly name: string;
  readonly url: string;
  /** No answer by then denies. */
  readonly deadlineMs: number;
  /** Rises when the secret is made anew. */
  readonly secretVersion: number;
}

export const WEBHOOK_EVENTS = ['asked', 'answered', 'expired', 'tripped'] as const;
export type WebhookEvent = (typeof WEBHOOK_EVENTS)[number];

export const WEBHOOK_FORMATS = ['standard', 'slack'] as const;
/** `standard`: our JSON, signed as Standard Webhooks says. `slack`: a message that Slack's incoming webhooks take. */
export type WebhookFormat = (typeof WEBHOOK_FORMATS)[number];

export interface Webhook {
  readonly name: string;
  readonly url: string;
  readonly events: readonly WebhookEvent[];
  readonly format: WebhookFormat;
  readonly secretVersion: number;
}

/** What is stopped; every field that is given must hold, none: the whole tenant. */
export interface FreezeTarget {
  readonly session?: string;
  readonly agent?: string;
  readonly provider?: string;
  /** With `provider`. */
  readonly operation?: string;
}

export interface Freeze {
  readonly freezeId: string;
  readonly target: FreezeTarget;
  readonly by: PrincipalId;
  readonly reason: string;
  readonly at: string;
}
