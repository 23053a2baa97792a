import { LIMITS, SESSION_ID_PATTERN, sessionKey, type SessionId, type TenantId } from '@countersign/contracts';
import type { SessionGrantListView, SessionView } from '@countersign/contracts/http';
import { permissionModeOf, type SessionState } from '@countersign/domain-session';
import type { Folded } from '@countersign/event-log';
import { GateError } from '@countersign/kernel';
import { found, type Aggregates } from '../catalogue/aggregates.js';
import { sessionGrantView } from '../grants/grant-views.js';

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

  /** As the leader has them: whoever looks may be about to revoke one. @throws GateError NOT_FOUND */
  async grants(tenant: TenantId, sessionId: string): Promise<SessionGrantListView> {
    await this.existing(tenant, sessionId);
    const { state } = await this.aggregates.sessions.fresh(sessionKey(tenant, sessionId));
    return { grants: [...state.grants.values()].map(sessionGrantView) };
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
  const { opened, ended, limit } = state;
  return {
    sessionId,
    agent: opened!.agent,
    profile: opened!.profile,
    kind: opened!.kind,
    permissionMode: permissionModeOf(state),
    openedBy: opened!.openedBy,
    openedAt: opened!.at,
    status: ended ? 'ended' : 'open',
    ...(ended ? { endedAt: ended.at, endedBy: ended.by, endReason: ended.reason } : {}),
    ...(limit ? { limitReached: { cause: limit.cause, detail: limit.detail, items: limit.items, endsAt: limit.endsAt, at: limit.at } } : {}),
    grants: [...state.grants.values()].map(sessionGrantView),
    sequence: position.sequence,
  };
}
