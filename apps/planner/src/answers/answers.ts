import { planKey, type AggregateKey, type Answered, type AnswerItem, type Command, type EventMeta, type PlanEvent } from '@countersign/contracts';
import { answerItems, checkAnswer, type AnswerOfItem, type AnswerResult, type PlanState } from '@countersign/domain-plan';
import { type GroupDecision, GroupedWriter, metaOf, type Transacted } from '@countersign/event-log';
import { faultPoint } from '@countersign/fault-points';
import { GateError, isGateError } from '@countersign/kernel';
import type { PlanClock } from '../lifetime/plan-clock.js';
import type { PlannerStores } from '../stores.js';
import type { AssertionVerifier } from './assertion-verifier.js';
import type { Grants, Reserved } from './grants.js';
import { answerOf } from './read-command.js';

type Said = Omit<AnswerOfItem, 'decidedAt' | 'reserved'>;
interface Verified { readonly said: Said; readonly reserved?: Reserved; readonly meta: EventMeta }
type Written = Exclude<AnswerResult, { readonly error: GateError }>;
type Accepted = Extract<AnswerResult, { readonly ok: true }>;

export interface AnswerParts {
  readonly stores: PlannerStores;
  readonly verifier: AssertionVerifier;
  readonly clock: PlanClock;
  readonly grants: Grants;
  readonly now: () => Date;
}

/**
 * People's answers. Those to one plan that arrive together are decided on one fold and appended as one event. An answer that reaches
 * beyond its item is asked of policy first, and returned when what it grants is in force.
 */
export class Answers {
  private readonly writer: GroupedWriter<PlanState, PlanEvent, Verified, Written>;

  constructor(private readonly parts: AnswerParts) {
    this.writer = new GroupedWriter({ store: parts.stores.plans, decideMany: (plan, commands) => decideMany(plan, commands, parts.now()), meta: metaOfGroup });
  }

  /**
   * @throws GateError ASSERTION_INVALID, INVALID_REQUEST, NOT_FOUND, ALREADY_RESOLVED, NOT_ASKED, ITEM_CHANGED, APPROVAL_EXPIRED, FORBIDDEN,
   *   SECOND_PERSON_REQUIRED, REASON_REQUIRED, SCOPE_NOT_OFFERED, RESERVATION_LAPSED, BUSY, and as `Grants.reserve`
   */
  async answer(command: Command<AnswerItem>): Promise<Answered> {
    const said = answerOf(command);
    this.parts.verifier.check(command);
    const key = planKey(command.context.tenant, command.planId);
    await this.parts.clock.closeIfEnded(key, command);
    try {
      const reserved = said.scope === 'once' ? undefined : await this.reserve(key, command, said);
      const written = await this.write(key, { said, meta: metaOf(command.context, 'person'), ...(reserved ? { reserved } : {}) });
      if (said.scope !== 'once') await this.give(key, command);
      return answeredOf(written);
    } catch (error) {
      // written down at once, so that no clock that jumps back makes the item wait again
      if (isGateError(error, 'APPROVAL_EXPIRED')) await this.parts.clock.advance(key, { correlationId: command.context.correlationId });
      throw error;
    }
  }

  /** Undefined: it is a repetition, and has what it needs. The plan's timer is due soon before anything is appended, to make good what a crash may leave out. */
  private async reserve(key: AggregateKey, command: Command<AnswerItem>, said: Said): Promise<Reserved | undefined> {
    const { state } = await this.parts.stores.plans.fresh(key);
    const looked = checkAnswer(state, { ...said, decidedAt: this.parts.now().toISOString() });
    if ('error' in looked) throw looked.error;
    const item = state.items.get(said.itemId);
    if (!item || (looked.ok && looked.repeated)) return undefined;
    const reserved = await this.parts.grants.reserve(key, command, item);
    await this.parts.clock.comeBackSoon(key, state);
    return reserved;
  }

  private async write(key: AggregateKey, verified: Verified): Promise<Transacted<Accepted>> {
    await faultPoint('planner.before-append');
    for (;;) {
      const { reply, ...written } = await this.writer.write(key, verified);
      if (!reply.ok) continue; // others went first; each round of this is an append of theirs
      await faultPoint('planner.after-append');
      return { ...written, reply };
    }
  }

  /** @throws GateError RESERVATION_LAPSED; TIMEOUT when it is not known to be in force: it will be, and asking again tells */
  private async give(key: AggregateKey, { itemId, context: { correlationId } }: Command<AnswerItem>): Promise<void> {
    const { state } = await this.parts.stores.plans.get(key);
    try {
      await this.parts.grants.give(key, state, itemId, { correlationId });
    } catch (error) {
      if (isGateError(error, 'RESERVATION_LAPSED')) throw new GateError('RESERVATION_LAPSED', 'The item is answered, but for this once only: the reservation of its grant had lapsed', { itemId });
      if (!isGateError(error, 'UNAVAILABLE', 'BUSY', 'TIMEOUT')) throw error;
      throw new GateError('TIMEOUT', 'The answer is kept, but what it grants is not in force yet; it will be, and the same answer again tells', { itemId });
    }
  }
}

/** Whoever answered stands in each answer; the event names a person only when it was one. */
function metaOfGroup(group: readonly Verified[]): EventMeta {
  const { meta } = group[0]!;
  return group.every((one) => one.meta.actor === meta.actor) ? meta : { ...meta, actor: 'service:planner' };
}

function decideMany(plan: PlanState, commands: readonly Verified[], now: Date): GroupDecision<PlanEvent, Written> {
  const decidedAt = now.toISOString();
  const lapsed = commands.map(({ reserved }) => reserved !== undefined && now >= reserved.until);
  const timely = commands.filter((_, index) => !lapsed[index]);
  const { event, reply } = answerItems(plan, timely.map(({ said, reserved }) => ({ ...said, decidedAt, ...(reserved ? { reserved: namesOf(reserved) } : {}) })));
  const results = reply.map((result) => ('error' in result ? result.error : result))[Symbol.iterator]();
  return { ...(event ? { event } : {}), replies: lapsed.map((over) => (over ? new GateError('RESERVATION_LAPSED') : results.next().value!)) };
}

const namesOf = ({ until: _until, ...names }: Reserved): Pick<Reserved, 'grantId' | 'reservation'> => names;

function answeredOf({ position, reply: { repeated, pending, grantId } }: Transacted<Accepted>): Answered {
  return {
    sequence: position.sequence, ...(repeated ? { repeated: true as const } : {}),
    ...(pending ? { pending } : {}), ...(grantId === undefined ? {} : { grantId }),
  };
}
