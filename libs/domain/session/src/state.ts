import type { SessionEnded, SessionEvent, SessionOpened } from '@countersign/contracts';
import type { Fold } from '@countersign/kernel';

export interface SessionState {
  /** Absent: no session was opened under this id. */
  readonly opened?: SessionOpened;
  readonly ended?: SessionEnded;
}

export const sessionFold: Fold<SessionState, SessionEvent> = { initial: {}, evolve };

/** Total: a second opening or end changes nothing, and what was never opened does not end. */
export function evolve(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session.Opened':
      return state.opened ? state : { opened: event.data };
    case 'session.Ended':
      return state.ended || !state.opened ? state : { ...state, ended: event.data };
    default:
      return state;
  }
}

/** Opened and not ended. Only of such a session anything is proposed, allowed or started. */
export const isOpen = (session: SessionState): boolean => session.opened !== undefined && session.ended === undefined;
