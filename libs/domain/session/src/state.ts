import type { PermissionMode, SessionEnded, SessionEvent, SessionGrant, SessionLimitReached, SessionOpened } from '@countersign/contracts';
import type { Fold } from '@countersign/kernel';

export interface SessionState {
  /** Absent: no session was opened under this id. */
  readonly opened?: SessionOpened;
  /** Verdicts in force, by grant id, oldest first. Empty once the session has ended: nothing of it is revived. */
  readonly grants: ReadonlyMap<string, SessionGrant>;
  /** Every grant id there ever was, so that one that was revoked is not given again by a repetition. */
  readonly givenGrants: ReadonlySet<string>;
  /** The first trip. Nothing of the session is allowed or started any more; it ends with its next plan, or at `endsAt`. */
  readonly limit?: SessionLimitReached;
  readonly ended?: SessionEnded;
}

export const sessionFold: Fold<SessionState, SessionEvent> = { initial: { grants: new Map(), givenGrants: new Set() }, evolve };

/** Total: a second opening, trip or end changes nothing, and to what was never opened or has ended nothing happens. */
export function evolve(state: SessionState, event: SessionEvent): SessionState {
  if (event.type === 'session.Opened') return state.opened ? state : { ...state, opened: event.data };
  if (!isOpen(state)) return state;
  switch (event.type) {
    case 'session.Granted':
      return granted(state, event.data.grant);
    case 'session.GrantRevoked':
      return { ...state, grants: without(state.grants, event.data.grantId) };
    case 'session.LimitReached':
      return state.limit ? state : { ...state, limit: event.data };
    case 'session.Ended':
      return { ...state, ended: event.data, grants: new Map() };
    default:
      return state;
  }
}

function granted(state: SessionState, grant: SessionGrant): SessionState {
  if (state.givenGrants.has(grant.grantId)) return state;
  return { ...state, grants: new Map(state.grants).set(grant.grantId, grant), givenGrants: new Set(state.givenGrants).add(grant.grantId) };
}

function without(grants: SessionState['grants'], grantId: string): SessionState['grants'] {
  if (!grants.has(grantId)) return grants;
  return new Map([...grants].filter(([id]) => id !== grantId));
}

/** Opened and not ended. Only of such a session anything is proposed; in its final turn (`limit`) nothing is allowed or started. */
export const isOpen = (session: SessionState): boolean => session.opened !== undefined && session.ended === undefined;

export const permissionModeOf = (session: SessionState): PermissionMode => session.opened?.permissionMode ?? 'default';
