import { LIMITS, planKey, type Accepted, type AggregateKey, type Command, type CorrectItem, type JsonObject, type Sealed } from '@countersign/contracts';
import { correctItem, isPreviewable, type CorrectionOfItem, type ItemState, type PlanState } from '@countersign/domain-plan';
import { acceptedOf, type BlobStore, metaOf } from '@countersign/event-log';
import { faultPoint } from '@countersign/fault-points';
import { GateError, isGateError } from '@countersign/kernel';
import type { SchemaChecks } from '@countersign/providers';
import type { PlanClock } from '../lifetime/plan-clock.js';
import type { PlannerStores } from '../stores.js';
import type { AssertionVerifier } from './assertion-verifier.js';
import { checkCorrected } from './check-corrected.js';
import { correctionOf } from './read-command.js';

export interface CorrectionParts {
  readonly stores: PlannerStores;
  readonly verifier: AssertionVerifier;
  readonly clock: PlanClock;
  readonly blobs: BlobStore;
  readonly checks: SchemaChecks;
  readonly now: () => Date;
}

/** People's corrections: other arguments for an asked item, which is then previewed and judged anew. */
export class Corrections {
  constructor(private readonly parts: CorrectionParts) {}

  /**
   * @throws GateError ASSERTION_INVALID, INVALID_REQUEST, NOT_FOUND, ALREADY_RESOLVED, NOT_ASKED, ITEM_CHANGED, APPROVAL_EXPIRED, FORBIDDEN,
   *   REASON_REQUIRED, TOO_MANY_CORRECTIONS, CORRECTED_INPUT_INVALID, BODY_TOO_LARGE, BUSY; nothing was changed then
   */
  async correct(command: Command<CorrectItem>): Promise<Accepted> {
    const said = correctionOf(command);
    const { stores, verifier, clock } = this.parts;
    verifier.check(command);
    const key = planKey(command.context.tenant, command.planId);
    await clock.closeIfEnded(key, command);
    try {
      const { state } = await stores.plans.fresh(key);
      const { repeated } = correctItem(state, this.dated(said, state, command.input)).reply;
      const input = repeated ? command.input : await this.checked(key, state, command);
      await clock.comeBackAt(key, state, this.verdictDue(state.items.get(said.itemId)));
      await faultPoint('planner.before-append');
      const written = await stores.plans.transact(key, ({ state: now }) => correctItem(now, this.dated(said, now, input)), { meta: metaOf(command.context, 'person') });
      await faultPoint('planner.after-append');
      await clock.advance(key, { correlationId: command.context.correlationId });
      return acceptedOf(written);
    } catch (error) {
      if (isGateError(error, 'APPROVAL_EXPIRED')) await clock.advance(key, { correlationId: command.context.correlationId });
      throw error;
    }
  }

  private checked(key: AggregateKey, plan: PlanState, { itemId, input }: CorrectItem): Promise<Sealed<JsonObject>> {
    const item = plan.items.get(itemId);
    if (!item) throw new GateError('NOT_FOUND', `The plan has no item ${itemId}`);
    const { checks, blobs } = this.parts;
    return checkCorrected(item, input, { checks, blobs, tenant: key.tenant });
  }

  private dated(said: ReturnType<typeof correctionOf>, plan: PlanState, input: Sealed<JsonObject>): CorrectionOfItem {
    const item = plan.items.get(said.itemId);
    return { ...said, input, decidedAt: this.parts.now().toISOString(), verdictDueAt: this.verdictDue(item).toISOString() };
  }

  /** As for a proposal: policy's time begins when the preview is there or overdue. */
  private verdictDue(item: ItemState | undefined): Date {
    const previewMs = item && isPreviewable(item) ? LIMITS.previewTimeoutMs + LIMITS.previewGraceMs : 0;
    return new Date(this.parts.now().getTime() + LIMITS.verdictMs + previewMs);
  }
}
