import { LIMITS, type AnswerAssertion, type Answered, type JsonObject, type Sealed } from '@countersign/contracts';
import type { BatchDecision, CorrectionRequest, DecisionRequest, DecisionResult } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { standingOf } from '../auth/caller.js';
import type { Asked } from '../edge/asked.js';
import type { Commanding } from '../edge/commanding.js';
import { problemOf } from '../edge/problem.js';
import { reachFrom, type Reach } from './answer-body.js';
import type { AnswerSigner } from './assertion.js';

/** Commands of one batch that are under way together; planner collects them into one append. */
const AT_ONCE = 64;
/** An answer that gives a grant is a matter of planner and of policy, before and after it. */
const GRANT_MS = 3 * LIMITS.commandTimeoutMs;

const ITEM_ID = /^i[1-9]\d{0,5}$/;

type Said = Pick<DecisionRequest, 'decision' | 'itemDigest' | 'reason'>;

/** Brings a person's answers to planner, each signed for the item that was seen, and for how far it reaches. */
export class Answering {
  constructor(private readonly commanding: Commanding, private readonly signer: AnswerSigner) {}

  /** @throws GateError INVALID_REQUEST, NOT_FOUND, and whatever planner refuses with */
  async answer(asked: Asked, planId: string, itemId: string, body: DecisionRequest): Promise<Answered> {
    return this.approveOrReject(asked, planId, itemId, body, reachFrom(body, this.commanding.now()));
  }

  /** Once, and nothing more. */
  async approve(asked: Asked, planId: string, itemId: string, said: Pick<Said, 'itemDigest' | 'reason'>): Promise<Answered> {
    return this.approveOrReject(asked, planId, itemId, { ...said, decision: 'approve' }, { scope: 'once' });
  }

  /** @throws GateError NOT_FOUND, CORRECTED_INPUT_INVALID, TOO_MANY_CORRECTIONS, and whatever else planner refuses with */
  async correct(asked: Asked, planId: string, itemId: string, body: Pick<CorrectionRequest, 'itemDigest' | 'reason'> & { readonly input: Sealed<JsonObject> }): Promise<number> {
    const { itemDigest, reason, input } = body;
    const { assertion, roles, at } = this.sign(asked, planId, itemId, { itemDigest, decision: 'correct', ...(reason ? { reason } : {}), inputDigest: input.digest });
    const { sequence } = await this.commanding.call('planner.correct', { planId, itemId, itemDigest, input, roles, ...(reason ? { reason } : {}), assertion, at }, asked);
    return sequence;
  }

  /** Each on its own: one refusal changes nothing for the others. In the order of the request. */
  async answerAll(asked: Asked, planId: string, decisions: readonly BatchDecision[]): Promise<DecisionResult[]> {
    refuseTwice(decisions);
    const results: DecisionResult[] = [];
    for (let start = 0; start < decisions.length; start += AT_ONCE) {
      results.push(...await Promise.all(decisions.slice(start, start + AT_ONCE).map((decision) => this.oneOf(asked, planId, decision))));
    }
    return results;
  }

  private async oneOf(asked: Asked, planId: string, decision: BatchDecision): Promise<DecisionResult> {
    try {
      const { sequence, repeated, pending, grantId } = await this.answer(asked, planId, decision.itemId, decision);
      return { itemId: decision.itemId, ok: true, sequence, ...(repeated ? { repeated } : {}), ...(pending ? { pending } : {}), ...(grantId ? { grantId } : {}) };
    } catch (error) {
      return { itemId: decision.itemId, ok: false, problem: problemOf(error, asked.trace.correlationId).problem };
    }
  }

  private async approveOrReject(asked: Asked, planId: string, itemId: string, { decision, itemDigest, reason }: Said, reach: Reach): Promise<Answered> {
    const said = { itemDigest, decision, ...(reason ? { reason } : {}), ...reach };
    const { assertion, roles, at } = this.sign(asked, planId, itemId, said);
    const timeoutMs = reach.scope === 'once' ? {} : { timeoutMs: GRANT_MS };
    return this.commanding.call('planner.answer', { planId, itemId, ...said, roles, assertion, at }, asked, timeoutMs);
  }

  /** @throws GateError NOT_FOUND for what cannot be an item's id */
  private sign(asked: Asked, plan: string, itemId: string, said: Omit<AnswerAssertion['claims'], 'tenant' | 'plan' | 'itemId' | 'principal' | 'method' | 'at' | 'roles'>) {
    if (!ITEM_ID.test(itemId)) throw new GateError('NOT_FOUND', 'The plan has no such item');
    const { tenant, principal } = asked.caller;
    const at = this.commanding.now();
    const roles = standingOf(asked.caller);
    return { assertion: this.signer.sign({ ...said, itemId, roles, tenant, plan, principal, method: 'api-key', at }), roles, at };
  }
}

/** Which of two answers to one item should stand is not ours to guess. */
function refuseTwice(decisions: readonly BatchDecision[]): void {
  if (decisions.length === 0) throw new GateError('INVALID_REQUEST', 'A batch answers at least one item');
  if (new Set(decisions.map(({ itemId }) => itemId)).size < decisions.length) throw new GateError('INVALID_REQUEST', 'A batch answers each item once');
}
