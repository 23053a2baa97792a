import type { Accepted } from '@countersign/contracts';
import type { BatchDecision, DecisionRequest, DecisionResult } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import type { Asked } from '../edge/asked.js';
import type { Commanding } from '../edge/commanding.js';
import { problemOf } from '../edge/problem.js';
import type { AnswerSigner } from './assertion.js';

/** Commands of one batch that are under way together; planner collects them into one append. */
const AT_ONCE = 64;

const ITEM_ID = /^i[1-9]\d{0,5}$/;

/** Brings a person's answers to planner, each signed for the item that was seen. */
export class Answering {
  constructor(private readonly commanding: Commanding, private readonly signer: AnswerSigner) {}

  /** @throws GateError SCOPE_NOT_SUPPORTED, NOT_FOUND, and whatever planner refuses with */
  async answer(asked: Asked, planId: string, itemId: string, body: DecisionRequest): Promise<Accepted> {
    if (body.scope !== undefined && body.scope !== 'once') throw new GateError('SCOPE_NOT_SUPPORTED');
    if (!ITEM_ID.test(itemId)) throw new GateError('NOT_FOUND', 'The plan has no such item');
    const at = this.commanding.now();
    const said = { itemId, itemDigest: body.itemDigest, decision: body.decision, ...(body.reason === undefined ? {} : { reason: body.reason }) };
    const { tenant, principal } = asked.caller;
    const assertion = this.signer.sign({ ...said, tenant, plan: planId, principal, method: 'api-key', at });
    return this.commanding.call('planner.answer', { planId, ...said, assertion, at }, asked);
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
      const { sequence, repeated } = await this.answer(asked, planId, decision.itemId, decision);
      return { itemId: decision.itemId, ok: true, sequence, ...(repeated ? { repeated } : {}) };
    } catch (error) {
      return { itemId: decision.itemId, ok: false, problem: problemOf(error, asked.trace.correlationId).problem };
    }
  }
}

/** Which of two answers to one item should stand is not ours to guess. */
function refuseTwice(decisions: readonly BatchDecision[]): void {
  if (decisions.length === 0) throw new GateError('INVALID_REQUEST', 'A batch answers at least one item');
  if (new Set(decisions.map(({ itemId }) => itemId)).size < decisions.length) throw new GateError('INVALID_REQUEST', 'A batch answers each item once');
}
