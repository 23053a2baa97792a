import type { ItemId, PlanId, PrincipalId } from '../ids.js';
import type { PermissionMode, SessionGrant } from '../policy.js';

/** planner. */
export interface SessionOpened {
  readonly agent: string;
  readonly profile: string;
  /** A mark, so that lists are not flooded. */
  readonly kind: 'chat' | 'run' | 'listener';
  /** Absent: `default`. */
  readonly permissionMode?: PermissionMode;
  readonly openedBy: PrincipalId;
  readonly requestDigest: string;
  readonly at: string;
}

/** planner. Nothing of an ended session is allowed or started any more. */
export interface SessionEnded {
  readonly by: PrincipalId;
  readonly reason: string;
  readonly at: string;
}

/** planner, once the answer that gives it is durable. Gone with the session; a restart of a service is not its end. */
export interface SessionGranted { readonly grant: SessionGrant }
export interface SessionGrantRevoked { readonly grantId: string; readonly by: PrincipalId; readonly at: string }

export const LIMIT_CAUSES = ['circuit_breaker', 'doom_loop'] as const;
export type LimitCause = (typeof LIMIT_CAUSES)[number];

/**
 * planner. The session has one final turn without tools: nothing of it is allowed or started any more. It ends with the next
 * plan it proposes, or at `endsAt`, as `limit_reached: <cause>`.
 */
export interface SessionLimitReached {
  readonly cause: LimitCause;
  /** In words, for people: what was counted against which bound. */
  readonly detail: string;
  /** The denied items, or the repeated calls, oldest first. */
  readonly items: readonly { readonly plan: PlanId; readonly itemId: ItemId }[];
  readonly endsAt: string;
  readonly at: string;
}

export type SessionEvent =
  | { readonly type: 'session.Opened'; readonly data: SessionOpened }
  | { readonly type: 'session.Granted'; readonly data: SessionGranted }
  | { readonly type: 'session.GrantRevoked'; readonly data: SessionGrantRevoked }
  | { readonly type: 'session.LimitReached'; readonly data: SessionLimitReached }
  | { readonly type: 'session.Ended'; readonly data: SessionEnded };
