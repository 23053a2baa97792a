/**
 * Identifiers. Every one of them is a NATS subject token: lower-case letters, digits, `-` and `_`, no dots.
 * Ids are produced outside domain code and arrive in commands.
 */
export type TenantId = string;
export type SessionId = string;
/** `<sessionId>-p<hash>`: a plan's id begins with its session's, so that one filter finds either. */
export type PlanId = string;
/** `i1`, `i2`, … in plan order; unique within its plan only. */
export type ItemId = string;
/** `<name>@<tenant>`-free principal name; unique within its tenant only. */
export type PrincipalId = string;

/** Stands in a subject where an event belongs to no session. */
export const NO_SESSION = '_';

export const ID_PATTERN = /^[a-z0-9][a-z0-9_-]{0,79}$/;
/** Provider names are chosen by people. */
export const PROVIDER_NAME_PATTERN = /^[a-z0-9][a-z0-9_-]{0,39}$/;
export const TENANT_ID_PATTERN = /^[a-z0-9][a-z0-9-]{0,31}$/;
export const SESSION_ID_PATTERN = /^s[a-z0-9]{8,40}$/;
export const PLAN_ID_PATTERN = /^s[a-z0-9]{8,40}-p[a-z0-9]{8,40}$/;

/** @param hash lower-case hex, at least 24 characters; derived from tenant, principal and idempotency key */
export function sessionIdFrom(hash: string): SessionId {
  return `s${hash.slice(0, 24)}`;
}

/** @param hash lower-case hex, at least 24 characters */
export function planIdFrom(session: SessionId, hash: string): PlanId {
  return `${session}-p${hash.slice(0, 24)}`;
}

/** The session a plan belongs to, read from its id; undefined when it is not a plan's id. */
export function sessionOfPlan(plan: PlanId): SessionId | undefined {
  return PLAN_ID_PATTERN.test(plan) ? plan.slice(0, plan.indexOf('-p')) : undefined;
}

export function itemIdAt(index: number): ItemId {
  return `i${index + 1}`;
}
