import {
  LIMITS, sessionKey, type AggregateKey, type AnswerGrant, type AnswerItem, type Command, type EventMeta, type ItemAnswer, type SessionGrant,
} from '@countersign/contracts';
import type { ItemState, PlanState } from '@countersign/domain-plan';
import { giveGrant } from '@countersign/domain-session';
import { GateError, digestOf, isGateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';
import type { PlannerStores } from '../stores.js';
import type { PolicyCommands } from './policy-commands.js';

/** What was reserved for an answer, and until when by planner's clock it may be used. */
export interface Reserved extends Pick<AnswerGrant, 'grantId' | 'reservation'> { readonly until: Date }

export type Cause = Pick<EventMeta, 'correlationId' | 'causationId'>;

interface Given { readonly item: ItemState; readonly answer: ItemAnswer; readonly grant: AnswerGrant }

/**
 * What an answer of scope session or always gives beyond its item. It is two facts, the answer in the plan and the grant in the
 * session or with policy, so the second is made good from the first whenever it is missing.
 */
export class Grants {
  constructor(
    private readonly stores: Pick<PlannerStores, 'sessions'>,
    private readonly policy: PolicyCommands,
    private readonly now: () => Date,
    private readonly logger: ServiceLogger,
  ) {}

  /** Changes nothing of the item. @throws GateError as `PolicyCommands.reserve`; AGGREGATE_TOO_LONG, SESSION_ENDED of the session */
  async reserve(key: AggregateKey, command: Command<AnswerItem>, item: ItemState): Promise<Reserved> {
    const { context, scope, planId, itemId, decision, narrow, reason, grantExpiresAt, at } = command;
    if (scope === 'once') throw new GateError('INTERNAL', 'Scope once gives no grant');
    const until = new Date(this.now().getTime() + LIMITS.reservationMs);
    const checked = await this.policy.reserve({
      context, scope, planId, itemId, decision: decision === 'approve' ? 'allow' : 'deny', author: context.principal, at,
      ...(narrow ? { narrow } : {}), ...(reason === undefined ? {} : { reason }), ...(grantExpiresAt === undefined ? {} : { expiresAt: grantExpiresAt }),
    });
    if (scope === 'always') return { ...reservedFrom(checked), until };
    const grantId = `g${digestOf({ tenant: key.tenant, plan: planId, itemId, by: context.principal, decision, narrow }).slice(0, 24)}`;
    const { state } = await this.stores.sessions.fresh(sessionKey(key.tenant, key.session));
    // refused now, while nothing is decided, rather than after the answer
    giveGrant(state, sessionGrantOf(key, item, { principal: context.principal, decision, answeredAt: at }, { grantId }));
    return { grantId, until };
  }

  /** @throws GateError of whatever is still missing, and why */
  async give(key: AggregateKey, plan: PlanState, itemId: string, cause: Cause): Promise<void> {
    for (const given of givenIn(plan).filter(({ item }) => item.itemId === itemId)) await this.giveOne(key, given, cause);
  }

  /** Of all answers of the plan. @returns whether nothing is missing any more that could still be made good */
  async makeGood(key: AggregateKey, plan: PlanState, cause: Cause): Promise<boolean> {
    let good = true;
    for (const given of givenIn(plan)) {
      try {
        await this.giveOne(key, given, cause);
      } catch (error) {
        if (!isGateError(error)) throw error;
        this.logger.warn({ plan: key.id, item: given.item.itemId, grant: given.grant.grantId, code: error.code }, 'what an answer grants is not in force');
        if (isPassing(error)) good = false;
      }
    }
    return good;
  }

  private async giveOne(key: AggregateKey, { item, answer, grant }: Given, cause: Cause): Promise<void> {
    const { tenant, session } = key;
    if (answer.scope === 'always') {
      const context = { tenant, principal: answer.principal, correlationId: cause.correlationId };
      return this.policy.activate({ context, grantId: grant.grantId, reservation: grant.reservation ?? '', at: answer.answeredAt });
    }
    await this.stores.sessions.transact(sessionKey(tenant, session), ({ state }) => (
      // a grant does not outlive its session, so there is nothing to be made good any more
      state.ended ? { reply: { repeated: true } } : giveGrant(state, sessionGrantOf(key, item, answer, grant))
    ), { meta: { actor: 'service:planner', ...cause } });
  }
}

/** Answered items that gave something beyond themselves. */
const givenIn = (plan: PlanState): Given[] => [...plan.items.values()].flatMap((item) =>
  (item.answer?.grant && item.answer.scope !== 'once' ? [{ item, answer: item.answer, grant: item.answer.grant }] : []));

function reservedFrom({ grantId, reservation }: { readonly grantId?: string; readonly reservation?: string }): Pick<AnswerGrant, 'grantId' | 'reservation'> {
  if (grantId === undefined || reservation === undefined) throw new GateError('INTERNAL', 'Policy reserved a standing grant without naming it');
  return { grantId, reservation };
}

type Giver = Pick<ItemAnswer, 'principal' | 'decision' | 'answeredAt' | 'reason'>;

function sessionGrantOf(key: AggregateKey, { itemId, operation }: ItemState, answer: Giver, { grantId, narrow }: AnswerGrant): SessionGrant {
  return {
    grantId, provider: operation.provider, operation: operation.name, decision: answer.decision === 'approve' ? 'allow' : 'deny',
    ...(narrow ? { narrow } : {}), by: answer.principal, ...(answer.reason === undefined ? {} : { reason: answer.reason }),
    origin: { plan: key.id, itemId }, at: answer.answeredAt,
  };
}

/** May be otherwise in a while. */
const isPassing = (error: GateError): boolean => ['UNAVAILABLE', 'TIMEOUT', 'BUSY'].includes(error.code);
