import { LIMITS, planKey, type Accepted, type AnswerItem, type Command, type EventMeta, type PlanEvent } from '@countersign/contracts';
import { answerItems, type AnswerOfItem, type PlanState } from '@countersign/domain-plan';
import { GroupedWriter, type GroupDecision } from '@countersign/event-log';
import { faultPoint } from '@countersign/fault-points';
import { GateError } from '@countersign/kernel';
import { acceptedOf, metaOf } from '../command-meta.js';
import type { PlanClock } from '../lifetime/plan-clock.js';
import type { PlannerStores } from '../stores.js';
import type { AssertionVerifier } from './assertion-verifier.js';

interface Verified { readonly answer: AnswerOfItem; readonly meta: EventMeta }
interface Answered { readonly repeated: boolean }

/** People's answers. Those to one plan that arrive together are decided on one fold and appended as one event. */
export class Answers {
  private readonly writer: GroupedWriter<PlanState, PlanEvent, Verified, Answered>;

  constructor(stores: PlannerStores, private readonly verifier: AssertionVerifier, private readonly clock: PlanClock) {
    this.writer = new GroupedWriter({ store: stores.plans, decideMany, meta: metaOfGroup });
  }

  /** @throws GateError ASSERTION_INVALID, INVALID_REQUEST, NOT_FOUND, ALREADY_RESOLVED, NOT_ASKED, ITEM_CHANGED, APPROVAL_EXPIRED, BUSY */
  async answer(command: Command<AnswerItem>): Promise<Accepted> {
    const answer = answerOf(command);
    this.verifier.check(command);
    const key = planKey(command.context.tenant, command.planId);
    if (await this.clock.sessionEnded(key)) {
      await this.clock.close(key, { reason: 'session_ended', by: 'service:planner', at: command.at }, { correlationId: command.context.correlationId });
    }
    await faultPoint('planner.before-append');
    const written = await this.writer.write(key, { answer, meta: metaOf(command.context, 'person') });
    await faultPoint('planner.after-append');
    return acceptedOf(written);
  }
}

/** Whoever answered stands in each answer; the event names a person only when it was one. */
function metaOfGroup(group: readonly Verified[]): EventMeta {
  const { meta } = group[0]!;
  return group.every((one) => one.meta.actor === meta.actor) ? meta : { ...meta, actor: 'service:planner' };
}

function answerOf({ context, itemId, itemDigest, decision, reason, assertion, at }: Command<AnswerItem>): AnswerOfItem {
  if (decision !== 'approve' && decision !== 'reject') throw new GateError('INVALID_REQUEST', 'A person approves or rejects');
  if (reason !== undefined && reason.length > LIMITS.reasonChars) throw new GateError('INVALID_REQUEST', `A reason has at most ${LIMITS.reasonChars} characters`);
  return {
    itemId, itemDigest, decision, scope: 'once', principal: context.principal, answeredAt: at, assertion, ...(reason === undefined ? {} : { reason }),
  };
}

function decideMany(plan: PlanState, commands: readonly Verified[]): GroupDecision<PlanEvent, Answered> {
  const { event, reply } = answerItems(plan, commands.map(({ answer }) => answer));
  return {
    ...(event ? { event } : {}),
    replies: reply.map((result) => (result.ok ? { repeated: result.repeated } : result.error)),
  };
}
