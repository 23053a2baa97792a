import {
  SESSION_ID_PATTERN, planKey, sessionKey, tenantKey, type Accepted, type AggregateKey, type Command, type CommandContext, type EndSession, type EventMeta,
  type OpenSession, type RevokeSessionGrant, type SessionEnded,
} from '@countersign/contracts';
import { endSession, openSession, revokeSessionGrant, type OpenedUnder, type Repeatable } from '@countersign/domain-session';
import { settingsOf } from '@countersign/domain-tenant';
import { acceptedOf, metaOf, type Transacted } from '@countersign/event-log';
import { GateError, isGateError } from '@countersign/kernel';
import type { LifetimeParts } from './lifetime-parts.js';

/** Until what the process that ended a session did not close is closed by whoever gets the timer. */
const REST_CLOSED_IN_MS = 2_000;

/** Sessions, and what their end means for their plans. */
export class Sessions {
  constructor(private readonly parts: LifetimeParts) {}

  /** @throws GateError INVALID_REQUEST, IDEMPOTENCY_KEY_REUSED, MODE_FORBIDDEN */
  async open({ context, sessionId, agent, profile, kind, permissionMode, requestDigest, at }: Command<OpenSession>): Promise<Accepted> {
    const opened = { agent, profile, kind, ...(permissionMode === undefined ? {} : { permissionMode }), openedBy: context.principal, requestDigest, at };
    const under = await this.openedUnder(context.tenant, permissionMode);
    return acceptedOf(await this.parts.stores.sessions.transact(
      keyOf(context, sessionId), ({ state }) => openSession(state, opened, under), { meta: metaOf(context, 'agent') },
    ));
  }

  /** Only one mode needs the tenant's leave. */
  private async openedUnder(tenant: string, mode: OpenSession['permissionMode']): Promise<OpenedUnder> {
    if (mode !== 'bypassPermissions') return { bypassPermissions: false };
    return settingsOf((await this.parts.stores.tenants.fresh(tenantKey(tenant))).state);
  }

  /**
   * From the durable end on nothing of the session is allowed or started. The plans known here are closed before the caller
   * hears of it; the rest by the session's timer or the next answer.
   * @throws GateError INVALID_REQUEST, NOT_FOUND
   */
  async end({ context, sessionId, reason, at }: Command<EndSession>): Promise<Accepted> {
    return acceptedOf(await this.endBy(keyOf(context, sessionId), { by: context.principal, reason, at }, metaOf(context, 'person')));
  }

  /** The timer that closes the rest is durable before the end is. @throws GateError NOT_FOUND */
  async endBy(key: AggregateKey, ended: SessionEnded, meta: EventMeta): Promise<Transacted<Repeatable>> {
    await this.parts.sessionClock.arm(key, new Date(this.parts.now().getTime() + REST_CLOSED_IN_MS));
    const written = await this.parts.stores.sessions.transact(key, ({ state }) => endSession(state, ended), { meta });
    await this.closePlans(key, this.parts.openPlans.take(key.tenant, key.session), ended, meta.correlationId);
    return written;
  }

  /** From the next evaluation on the grant says nothing. @throws GateError INVALID_REQUEST, NOT_FOUND, SESSION_ENDED */
  async revokeGrant({ context, sessionId, grantId, at }: Command<RevokeSessionGrant>): Promise<Accepted> {
    return acceptedOf(await this.parts.stores.sessions.transact(
      keyOf(context, sessionId), ({ state }) => revokeSessionGrant(state, { grantId, by: context.principal, at }), { meta: metaOf(context, 'person') },
    ));
  }

  /** Resolves what waits in them, and stops what has not begun. */
  async closePlans(key: AggregateKey, plans: Iterable<string>, { by, at }: SessionEnded, correlationId: string): Promise<void> {
    for (const plan of plans) {
      try {
        await this.parts.planClock.close(planKey(key.tenant, plan), { reason: 'session_ended', by, at }, { correlationId });
      } catch (error) {
        if (!isGateError(error)) throw error;
        this.parts.logger.warn({ plan, code: error.code }, 'a plan of an ended session is left to its timer');
      }
    }
  }
}

function keyOf(context: CommandContext, sessionId: string): AggregateKey {
  if (!SESSION_ID_PATTERN.test(sessionId)) throw new GateError('INVALID_REQUEST', 'This is not a session’s id');
  return sessionKey(context.tenant, sessionId);
}
