import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, sessionKey, type Freeze, type JsonObject, type ProviderFailure, type SessionGrant } from '@countersign/contracts';
import { currentInputOf, isOutdated, isStopped, type ItemState } from '@countersign/domain-plan';
import { isOpen, type SessionState } from '@countersign/domain-session';
import { freezeCovering, type Freezable, type TenantState } from '@countersign/domain-tenant';
import { isGateError } from '@countersign/kernel';
import { isWithin } from '@countersign/policy-engine';
import { failure } from '@countersign/providers';
import { leaseOver, type ExecutorParts, type Work } from './work.js';

const ASK_AGAIN_MS = 200;

/** What stands against calls of a plan or for them, as it was looked up just now. */
export interface Look {
  readonly key: Work['key'];
  readonly planStopped: boolean;
  readonly session: SessionState;
  /** Of at most a quarter of a second ago. */
  readonly tenant: TenantState;
}

/** Session and plan as the leader has them. For calls without a durable start of their own. */
export async function lookAtAll(work: Work, parts: ExecutorParts): Promise<Look> {
  const [look, plan] = await Promise.all([lookAtSession(work, parts), parts.plans.fresh(work.key)]);
  return { ...look, planStopped: isStopped(plan.state) };
}

/** The same for what is started by an append to the plan: its expectation proves more of the plan than a read could. */
export async function lookAtSession({ key }: Work, parts: ExecutorParts): Promise<Look> {
  const [{ state: session }, tenant] = await Promise.all([parts.sessions.fresh(sessionKey(key.tenant, key.session)), parts.tenants.of(key.tenant)]);
  return { key, planStopped: false, session, tenant };
}

export const planCancelled = (): ProviderFailure => failure('cancelled', 'The plan was cancelled before the call was made');
export const sessionEnded = (): ProviderFailure => failure('cancelled', 'The session ended before the call was made');
const limitReached = (): ProviderFailure => failure('cancelled', 'The session came to its limit before the call was made, and calls nothing any more');
const frozenBefore = (freeze: Freeze): ProviderFailure => failure('cancelled', `${frozenWords(freeze)} before the call was made`);
/** Of a call that ran already. */
export const frozenWhile = (freeze: Freeze): string => `${frozenWords(freeze)} while the call ran, and it was told to cancel`;
const frozenWords = ({ by, reason }: Freeze): string => `It was frozen by ${by} (“${reason}”)`;
const deniedBefore = ({ by }: SessionGrant): ProviderFailure => failure('cancelled', `${by} denied such calls for the rest of the session before this one was made`);

/** Why an allowed item must not be called now; undefined: it may. A session that nobody opened is not open. @param input undefined: it cannot be read */
export function whyNot(item: ItemState, input: JsonObject | undefined, { key, planStopped, session, tenant }: Look, now: Date): ProviderFailure | undefined {
  if (!isOpen(session)) return sessionEnded();
  if (planStopped) return planCancelled();
  const freeze = freezeCovering(tenant, callOf(key.session, item, session));
  if (freeze) return frozenBefore(freeze);
  if (session.limit) return limitReached();
  const denial = newerDenial(item, input, session);
  if (denial) return deniedBefore(denial);
  if (!isOutdated(item, now)) return undefined;
  return failure('precondition_failed', `The call was allowed more than ${LIMITS.verdictGoodForMs / 60_000} minutes ago; propose it anew`);
}

export const callOf = (session: string, { operation }: ItemState, { opened }: SessionState): Freezable =>
  ({ session, agent: opened?.agent ?? '', provider: operation.provider, operation: operation.name });

/** What policy allows it allows under the denials it knew; a person may have allowed the item after one. */
function newerDenial(item: ItemState, input: JsonObject | undefined, { grants }: SessionState): SessionGrant | undefined {
  const { provider, name } = item.operation;
  const facts = { input, inputDigest: currentInputOf(item).digest };
  return [...grants.values()].find((grant) => grant.decision === 'deny' && grant.provider === provider && grant.operation === name
    && (!item.answer || Date.parse(grant.at) >= Date.parse(item.answer.answeredAt)) && isWithin(grant.narrow, facts));
}

/**
 * The same for an item that is under way: it has waited, or is to be called again. What was started must come to an end that is
 * known, so the leader is asked until it answers.
 * @throws GateError UNAVAILABLE when the lease ended first
 */
export async function whyNotAnyMore(item: ItemState, input: JsonObject, work: Work, parts: ExecutorParts): Promise<ProviderFailure | undefined> {
  return await untilAnswered(work, async () => whyNot(item, input, await lookAtAll(work, parts), parts.now()));
}

/** At the very moment of the call, however long its start took: mostly by what is known of the tenant, without a read. @throws GateError UNAVAILABLE when the lease ended first */
export async function whyFrozen(call: Freezable, work: Work, parts: ExecutorParts): Promise<ProviderFailure | undefined> {
  return await untilAnswered(work, async () => {
    const freeze = freezeCovering(await parts.tenants.of(work.key.tenant), call);
    return freeze && frozenBefore(freeze);
  });
}

async function untilAnswered<T>(work: Work, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isGateError(error, 'UNAVAILABLE')) throw error;
      await sleep(ASK_AGAIN_MS, undefined, { signal: work.signal }).catch(() => { throw leaseOver(); });
    }
  }
}
