import {
  LIMITS, PLAN_ID_PATTERN, planKey, sessionKey, sessionOfPlan, type Accepted, type AggregateKey, type Command, type Propose,
} from '@countersign/contracts';
import { checkCalls, propose, proposedBefore, type PlanState, type ProposePlan } from '@countersign/domain-plan';
import { requireOpen } from '@countersign/domain-session';
import { acceptedOf, type BlobStore, type Folded, metaOf } from '@countersign/event-log';
import { faultPoint } from '@countersign/fault-points';
import { GateError, isGateError } from '@countersign/kernel';
import type { SchemaChecks } from '@countersign/providers';
import type { OpenPlans } from '../lifetime/open-plans.js';
import type { PlanClock } from '../lifetime/plan-clock.js';
import type { PlannerStores } from '../stores.js';
import { checkInputs } from './check-inputs.js';
import { fitEvent } from './fit-event.js';
import type { OperationCatalogue } from './operation-catalogue.js';
import { resolveCalls } from './resolve-calls.js';

export interface ProposalParts {
  readonly stores: PlannerStores;
  readonly catalogue: OperationCatalogue;
  readonly checks: SchemaChecks;
  readonly blobs: BlobStore;
}

/** Turns the calls of one turn into a plan. */
export class Proposals {
  constructor(
    private readonly parts: ProposalParts,
    private readonly clock: PlanClock,
    private readonly open: OpenPlans,
  ) {}

  /**
   * What does not depend on each other runs side by side: the timer (durable before the plan is), the session, the catalogue
   * and the inputs. Most plans are new, so none is looked for: a repetition is found by the append that it loses.
   * @throws GateError as `propose` of the domain; NOT_FOUND, SESSION_ENDED, PROVIDER_UNKNOWN, OPERATION_UNKNOWN, INPUT_INVALID
   */
  async propose(command: Command<Propose>): Promise<Accepted> {
    const key = keyOf(command);
    checkCalls(command.calls);
    try {
      return await this.proposed(key, command);
    } catch (error) {
      // The timer of the plan that has this key was moved by the proposal that is not it.
      if (isGateError(error, 'IDEMPOTENCY_KEY_REUSED')) await this.putBack(key);
      throw error;
    }
  }

  private async proposed(key: AggregateKey, command: Command<Propose>): Promise<Accepted> {
    const [prepared, timer] = await Promise.all([this.prepare(command).catch(asRefusal), this.clock.armAhead(key)]);
    if (prepared instanceof GateError) return this.repeatedOr(key, command, prepared);
    await faultPoint('planner.before-append');
    const written = await this.parts.stores.plans.transact(
      key, ({ state }) => propose(state, prepared), { meta: metaOf(command.context, 'agent'), presumedNew: true });
    await faultPoint('planner.after-append');
    if (written.reply.repeated) return this.repeated(key, written);
    await timer.keptAhead();
    this.open.add(command.context.tenant, command.sessionId, command.planId);
    return acceptedOf(written);
  }

  private async prepare(command: Command<Propose>): Promise<ProposePlan> {
    const { stores, catalogue, blobs, checks } = this.parts;
    const { context: { tenant, principal }, sessionId, planId, turnId, requestDigest, at } = command;
    const [session, view] = await Promise.all([stores.sessions.fresh(sessionKey(tenant, sessionId)), catalogue.of(tenant)]);
    const { profile } = requireOpen(session.state);
    const resolved = await resolveCalls(command.calls, view);
    await checkInputs(resolved.calls, { checks, blobs, tenant });
    return fitEvent({
      planId, turnId, requester: principal, requestDigest, proposedAt: at, profile,
      saw: { session: session.position.sequence, catalogue: view.sequence },
      providers: resolved.providers,
      operations: resolved.operations,
      calls: resolved.calls.map(({ call, key }) => ({ callId: call.callId, operation: key, input: call.input })),
      verdictDueAt: (needsPreview(resolved.operations) ? withPreviews(verdictDueAt(at)) : verdictDueAt(at)).toISOString(),
    }, { blobs, tenant });
  }

  /** What would be refused today may have been accepted before: the leader says whether it was. */
  private async repeatedOr(key: AggregateKey, command: Propose, refusal: GateError): Promise<Accepted> {
    const confirmed = await this.parts.stores.plans.fresh(key);
    if (proposedIn(confirmed, command)) return this.repeated(key, confirmed);
    throw refusal;
  }

  /** The timer was moved by this repetition: it is put back to where the plan needs it. */
  private async repeated(key: AggregateKey, { position }: Pick<Folded<PlanState>, 'position'>): Promise<Accepted> {
    await this.putBack(key);
    return { sequence: position.sequence, repeated: true };
  }

  private putBack(key: AggregateKey): Promise<void> {
    return this.clock.advance(key, { correlationId: key.id });
  }
}

function keyOf({ context, planId, sessionId }: Command<Propose>): AggregateKey {
  if (!PLAN_ID_PATTERN.test(planId) || sessionOfPlan(planId) !== sessionId) {
    throw new GateError('INVALID_REQUEST', 'A plan’s id begins with its session’s');
  }
  return planKey(context.tenant, planId);
}

const proposedIn = ({ state }: Folded<PlanState>, command: Propose): boolean => proposedBefore(state, command);

/** Kept apart, so that the answer to a repetition does not depend on what would be refused today. */
function asRefusal(error: unknown): GateError {
  if (isGateError(error)) return error;
  throw error;
}

const verdictDueAt = (at: string): Date => new Date(Date.parse(at) + LIMITS.verdictMs);
/** Policy's time begins when the previews are there or overdue. */
const withPreviews = (due: Date): Date => new Date(due.getTime() + LIMITS.previewTimeoutMs + LIMITS.previewGraceMs);
const needsPreview = (operations: ProposePlan['operations']): boolean =>
  Object.values(operations).some((operation) => operation.kind === 'resource' && operation.previewable === true);
