import type { PrincipalId } from '../ids.js';

/** planner. */
export interface SessionOpened {
  readonly agent: string;
  readonly profile: string;
  /** A mark, so that lists are not flooded. */
  readonly kind: 'chat' | 'run' | 'listener';
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

export type SessionEvent =
  | { readonly type: 'session.Opened'; readonly data: SessionOpened }
  | { readonly type: 'session.Ended'; readonly data: SessionEnded };
