import {
  LIMITS, PERMISSION_MODES, type LimitCause, type SessionEnded, type SessionEvent, type SessionGrant, type SessionGrantRevoked, type SessionLimitReached, type SessionOpened,
} from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import type { SessionState } from './state.js';

export interface Repeatable { readonly repeated: boolean }

export interface OpenedUnder {
  /** Of the tenant's settings. */
  readonly bypassPermissions: boolean;
}

/**
 * The same request again says nothing, also after the end or when the tenant permits its mode no more: a session is not opened twice.
 * @throws GateError IDEMPOTENCY_KEY_REUSED, INVALID_REQUEST, MODE_FORBIDDEN
 */
export function openSession(session: SessionState, command: SessionOpened, tenant: OpenedUnder = { bypassPermissions: false }): Decision<SessionEvent, Repeatable> {
  if (session.opened) {
    if (session.opened.requestDigest === command.requestDigest) return { reply: { repeated: true } };
    throw new GateError('IDEMPOTENCY_KEY_REUSED', 'This session was opened with another body under the same Idempotency-Key');
  }
  const mode = command.permissionMode ?? 'default';
  if (!PERMISSION_MODES.includes(mode)) throw new GateError('INVALID_REQUEST', `A permission mode is one of ${PERMISSION_MODES.join(', ')}`);
  if (mode === 'bypassPermissions' && !tenant.bypassPermissions) throw new GateError('MODE_FORBIDDEN', 'This tenant’s settings do not permit bypassPermissions', { permissionMode: mode });
  return { event: { type: 'session.Opened', data: command }, reply: { repeated: false } };
}

/** Ends for good; an ended session stays ended, by whoever came first. @throws GateError NOT_FOUND */
export function endSession(session: SessionState, command: SessionEnded): Decision<SessionEvent, Repeatable> {
  requireOpened(session);
  return session.ended ? { reply: { repeated: true } } : { event: { type: 'session.Ended', data: command }, reply: { repeated: false } };
}

/** Remembers a verdict for the rest of the session. A grant id is given once, also after it was revoked. @throws GateError NOT_FOUND, SESSION_ENDED, AGGREGATE_TOO_LONG */
export function giveGrant(session: SessionState, grant: SessionGrant): Decision<SessionEvent, Repeatable> {
  requireOpened(session);
  if (session.givenGrants.has(grant.grantId)) return { reply: { repeated: true } };
  requireOpen(session);
  if (session.grants.size >= LIMITS.sessionGrants) throw new GateError('AGGREGATE_TOO_LONG', `A session remembers at most ${LIMITS.sessionGrants} grants; revoke some, or open another session`);
  return { event: { type: 'session.Granted', data: { grant } }, reply: { repeated: false } };
}

/** From the next evaluation on the grant says nothing; what it has allowed and has not begun stays allowed. @throws GateError NOT_FOUND, SESSION_ENDED */
export function revokeSessionGrant(session: SessionState, command: SessionGrantRevoked): Decision<SessionEvent, Repeatable> {
  requireOpened(session);
  if (!session.givenGrants.has(command.grantId)) throw new GateError('NOT_FOUND', `The session has no grant ${command.grantId}`);
  requireOpen(session);
  if (!session.grants.has(command.grantId)) return { reply: { repeated: true } };
  return { event: { type: 'session.GrantRevoked', data: command }, reply: { repeated: false } };
}

/** The first trip stands, and after the end there is none. @throws GateError NOT_FOUND */
export function reachLimit(session: SessionState, command: SessionLimitReached): Decision<SessionEvent, Repeatable> {
  requireOpened(session);
  if (session.ended || session.limit) return { reply: { repeated: true } };
  return { event: { type: 'session.LimitReached', data: command }, reply: { repeated: false } };
}

/** The reason with which a session ends that has had its final turn. */
export const limitReason = (cause: LimitCause): string => `limit_reached: ${cause}`;

/** @throws GateError NOT_FOUND, SESSION_ENDED */
export function requireOpen(session: SessionState): SessionOpened {
  const opened = requireOpened(session);
  if (session.ended) throw new GateError('SESSION_ENDED', `The session ended at ${session.ended.at} (${session.ended.reason}); open another`, { endedAt: session.ended.at });
  return opened;
}

function requireOpened(session: SessionState): SessionOpened {
  if (!session.opened) throw new GateError('NOT_FOUND', 'There is no such session');
  return session.opened;
}
