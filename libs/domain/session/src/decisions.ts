import type { SessionEnded, SessionEvent, SessionOpened } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import type { SessionState } from './state.js';

export interface Repeatable { readonly repeated: boolean }

/** The same request again says nothing, also after the end: a session is not opened twice. @throws GateError IDEMPOTENCY_KEY_REUSED */
export function openSession(session: SessionState, command: SessionOpened): Decision<SessionEvent, Repeatable> {
  if (!session.opened) return { event: { type: 'session.Opened', data: command }, reply: { repeated: false } };
  if (session.opened.requestDigest === command.requestDigest) return { reply: { repeated: true } };
  throw new GateError('IDEMPOTENCY_KEY_REUSED', 'This session was opened with another body under the same Idempotency-Key');
}

/** Ends for good; an ended session stays ended, by whoever came first. @throws GateError NOT_FOUND */
export function endSession(session: SessionState, command: SessionEnded): Decision<SessionEvent, Repeatable> {
  if (!session.opened) throw new GateError('NOT_FOUND', 'There is no such session');
  return session.ended ? { reply: { repeated: true } } : { event: { type: 'session.Ended', data: command }, reply: { repeated: false } };
}

/** @throws GateError NOT_FOUND, SESSION_ENDED */
export function requireOpen(session: SessionState): SessionOpened {
  if (!session.opened) throw new GateError('NOT_FOUND', 'There is no such session');
  if (session.ended) throw new GateError('SESSION_ENDED', `The session ended at ${session.ended.at}; open another`, { endedAt: session.ended.at });
  return session.opened;
}
