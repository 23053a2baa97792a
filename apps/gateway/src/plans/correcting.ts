import { LIMITS, type ItemId } from '@countersign/contracts';
import type { CorrectedPlanView, CorrectionRequest } from '@countersign/contracts/http';
import { isAsked, isPending, isPreviewable, termsOf, type PlanState } from '@countersign/domain-plan';
import { seal, type BlobStore } from '@countersign/event-log';
import type { Asked } from '../edge/asked.js';
import { problemOf } from '../edge/problem.js';
import type { Answering } from './answering.js';
import { mayNotApprove } from './may-answer.js';
import { keyOf, type PlanReader } from './plan-reader.js';
import type { PlanWaiter } from './plan-waiter.js';

/** Until the verdict on a correction is there, its preview among it; then the plan is shown as it is. */
const VERDICT_MS = LIMITS.previewTimeoutMs + LIMITS.previewGraceMs + LIMITS.commandTimeoutMs;

type Confirmed = Pick<CorrectedPlanView, 'confirmed' | 'notConfirmedBecause' | 'pending'> & { readonly sequence?: number };

/**
 * Other arguments for an asked item. Where nothing is previewed the corrector has seen everything there is, and the same call
 * is the approval too (`SEMANTICS` § 3, corrected_input); else the new digest and preview are shown, to be confirmed.
 */
export class Correcting {
  constructor(private readonly answering: Answering, private readonly reader: PlanReader, private readonly waiter: PlanWaiter, private readonly blobs: BlobStore) {}

  /** @throws GateError NOT_FOUND, and whatever planner refuses the correction with; a refused confirmation is told in the view */
  async correct(asked: Asked, planId: string, itemId: ItemId, body: CorrectionRequest): Promise<CorrectedPlanView> {
    const { tenant } = asked.caller;
    await this.reader.require(tenant, planId, itemId);
    const watch = this.waiter.watch(keyOf(tenant, planId), asked.signal);
    try {
      const input = await seal(body.input, { blobs: this.blobs, tenant });
      const atLeast = await this.answering.correct(asked, planId, itemId, { itemDigest: body.itemDigest, input, ...(body.reason ? { reason: body.reason } : {}) });
      const judged = await this.reader.reached(tenant, planId, { watch, goal: { waitMs: VERDICT_MS, until: (plan) => !isPending(plan.items.get(itemId)!) }, atLeast });
      const { sequence, ...confirmed } = await this.confirm(asked, planId, itemId, body, judged.state);
      const view = sequence === undefined ? await this.reader.show(asked.caller, planId, judged) : await this.reader.asOf(asked.caller, planId, sequence);
      return { ...view, ...confirmed };
    } finally {
      watch.end();
    }
  }

  private async confirm(asked: Asked, planId: string, itemId: ItemId, body: CorrectionRequest, plan: PlanState): Promise<Confirmed> {
    const because = notToBeConfirmed(plan, itemId, body, asked);
    if (because !== undefined) return { confirmed: false, notConfirmedBecause: because };
    const { itemDigest } = plan.items.get(itemId)!.verdict!;
    try {
      const { sequence, pending } = await this.answering.approve(asked, planId, itemId, { itemDigest, ...(body.reason ? { reason: body.reason } : {}) });
      return { confirmed: true, sequence, ...(pending ? { pending } : {}) };
    } catch (error) {
      const { detail } = problemOf(error, asked.trace.correlationId).problem;
      return { confirmed: false, notConfirmedBecause: detail };
    }
  }
}

/** Why the correction is no approval; undefined: it is one. */
function notToBeConfirmed(plan: PlanState, itemId: ItemId, { confirm, reason }: CorrectionRequest, { caller }: Asked): string | undefined {
  const item = plan.items.get(itemId)!;
  if (isPending(item)) return 'The corrected item has no verdict yet';
  if (!isAsked(item)) return 'The corrected item does not wait for a person';
  if (confirm === false) return 'The request wants to confirm what it is shown';
  if (isPreviewable(item)) return 'The item has a preview: look at it, and approve its new itemDigest';
  if (termsOf(item).requireReason && !reason?.trim()) return 'The rule that asks wants a reason';
  return mayNotApprove(plan, item, caller);
}
