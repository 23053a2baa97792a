import { SESSION_ID_PATTERN, planKey, sessionKey, type Accepted, type AggregateKey, type Command, type CommandContext, type EndSession, type OpenSession } from '@countersign/contracts';
import { endSession, openSession } from '@countersign/domain-session';
import { GateError, isGateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';
import { acceptedOf, metaOf } from '../command-meta.js';
import type { PlannerStores } from '../stores.js';
import type { OpenPlans } from './open-plans.js';
import type { PlanClock } from './plan-clock.js';

/** Sessions, and what their end means for their plans. */
export class Sessions {
  constructor(
    private readonly stores: PlannerStores,
    private readonly clock: PlanClock,
    private readonly openPlans: OpenPlans,
    private readonly logger: ServiceLogger,
  ) {}

  /** @throws GateError INVALID_REQUEST, IDEMPOTENCY_KEY_REUSED */
  async open({ context, sessionId, agent, profile, kind, requestDigest, at }: Command<OpenSession>): Promise<Accepted> {
    const opened = { agent, profile, kind, openedBy: context.principal, requestDigest, at };
    return acceptedOf(await this.stores.sessions.transact(
      keyOf(context, sessionId), ({ state }) => openSession(state, opened), { meta: metaOf(context, 'agent') },
    ));
  }

  /**
   * From the durable end on nothing of the session is allowed or started. The plans known here are closed before the caller
   * hears of it; the rest by their timers or the next answer.
   * @throws GateError INVALID_REQUEST, NOT_FOUND
   */
  async end({ context, sessionId, reason, at }: Command<EndSession>): Promise<Accepted> {
    const by = context.principal;
    const ended = await this.stores.sessions.transact(
      keyOf(context, sessionId), ({ state }) => endSession(state, { by, reason, at }), { meta: metaOf(context, 'person') },
    );
    await this.closePlans(context, sessionId, at);
    return acceptedOf(ended);
  }

  private async closePlans(context: CommandContext, sessionId: string, at: string): Promise<void> {
    const closed = { reason: 'session_ended', by: context.principal, at } as const;
    for (const plan of this.openPlans.take(context.tenant, sessionId)) {
      try {
        await this.clock.close(planKey(context.tenant, plan), closed, { correlationId: context.correlationId });
      } catch (error) {
        if (!isGateError(error)) throw error;
        this.logger.warn({ plan, code: error.code }, 'a plan of an ended session is left to its timer');
      }
    }
  }
}

function keyOf(context: CommandContext, sessionId: string): AggregateKey {
  if (!SESSION_ID_PATTERN.test(sessionId)) throw new GateError('INVALID_REQUEST', 'This is not a session’s id');
  return sessionKey(context.tenant, sessionId);
}
