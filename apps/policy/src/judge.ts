import { LIMITS } from '@countersign/contracts';
import { itemsToJudge, type ItemState, type JudgedItem, type PlanState } from '@countersign/domain-plan';
import { evaluate, type CompiledBundle } from '@countersign/policy-engine';

/** Room in one event for its verdicts; a plan of 1,000 items with long messages takes several. */
const VERDICT_BYTES = 200 * 1024;
/** Of one verdict beside its texts: the item's digest, the expiry and the names of the fields. */
const VERDICT_FRAME_BYTES = 256;

export interface Judging {
  readonly compiled: CompiledBundle;
  readonly sessionOpen: boolean;
  readonly now: Date;
}

export interface Judgement {
  readonly verdicts: readonly JudgedItem[];
  /** More are ready than one event holds. */
  readonly more: boolean;
}

/** Each item that is ready, on its own. Pure: of the fold, the bundle, the session and the time only. */
export function judgeReady(plan: PlanState, judging: Judging): Judgement {
  const ready = itemsToJudge(plan, judging.now);
  const verdicts: JudgedItem[] = [];
  let bytes = 0;
  for (const item of ready) {
    const verdict = verdictOn(item, judging);
    bytes += VERDICT_FRAME_BYTES + Buffer.byteLength(verdict.decidedBy) + Buffer.byteLength(JSON.stringify(verdict.message ?? ''));
    if (bytes > VERDICT_BYTES && verdicts.length > 0) break;
    verdicts.push(verdict);
  }
  return { verdicts, more: verdicts.length < ready.length };
}

/** Nothing of an ended session is allowed, whatever the rules say (`SEMANTICS` § 2, layer 2). */
function verdictOn(item: ItemState, { compiled, sessionOpen }: Judging): JudgedItem {
  if (!sessionOpen) return { itemId: item.itemId, decision: 'deny', decidedBy: 'session:ended' };
  const { kind, provider, name, risk } = item.operation;
  const { decision, decidedBy, downgraded, message } = evaluate(compiled, { kind, provider, name, risk });
  return { itemId: item.itemId, decision, decidedBy, ...(downgraded ? { downgraded } : {}), ...(message === undefined ? {} : { message }) };
}

/** When an ask that is made now expires; absolute, never extended. */
export const askExpiresAt = (now: Date): string => new Date(now.getTime() + LIMITS.askExpiryMs).toISOString();
