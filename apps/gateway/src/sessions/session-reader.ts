import { LIMITS, SESSION_ID_PATTERN, sessionKey, type SessionId, type TenantId } from '@countersign/contracts';
import type { SessionView } from '@countersign/contracts/http';
import type { SessionState } from '@countersign/domain-session';
import type { Folded } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { found, type Aggregates } from '../catalogue/aggregates.js';

const noSession = (sessionId: string) => new GateError('NOT_FOUND', `There is no session ${sessionId.slice(0, LIMITS.nameChars)}`);

/** What cannot be a session's id never reaches a subject. @throws GateError NOT_FOUND */
export function requireSessionId(sessionId: string): void {
  if (!SESSION_ID_PATTERN.test(sessionId)) throw noSession(sessionId);
}

/** Shows sessions of one tenant; another's and nobody's look the same. */
export class SessionReader {
  constructor(private readonly aggregates: Aggregates) {}

  /** @param atLeast a sequence the session is known to have. @throws GateError NOT_FOUND */
  async view(tenant: TenantId, sessionId: string, atLeast?: number): Promise<SessionView> {
    return sessionView(sessionId, await this.existing(tenant, sessionId, atLeast));
  }

  /** @throws GateError NOT_FOUND */
  async existing(tenant: TenantId, sessionId: string, atLeast?: number): Promise<Folded<SessionState>> {
    requireSessionId(sessionId);
    const session = await found(this.aggregates.sessions, sessionKey(tenant, sessionId), (state) => state.opened !== undefined, atLeast);
    if (!session) throw noSession(sessionId);
    return session;
  }
}

function sessionView(sessionId: SessionId, { state, position }: Folded<SessionState>): SessionView {
  const { opened, ended } = state;
  return {
    sessionId,
    agent: opened!.agent,
    profile: opened!.profile,
    kind: opened!.kind,
    openedBy: opened!.openedBy,
    openedAt: opened!.at,
    status: ended ? 'ended' : 'open',
    ...(ended ? { endedAt: ended.at, endedBy: ended.by, endReason: ended.reason } : {}),
    sequence: position.sequence,
  };
}
