import type { AggregateKey, Json, VetoAnswer } from '@countersign/contracts';
import { itemsToJudge, type ItemState, type JudgedItem, type PlanState } from '@countersign/domain-plan';
import type { SessionState } from '@countersign/domain-session';
import { awaitsVeto, judge, type ItemFacts, type LayeredVerdict } from '@countersign/policy-engine';
import { itemFactsOf, type TenantPolicy } from '@countersign/policy-view';

/** Room in one event for its verdicts; a plan of 1,000 items with long messages takes several. */
const VERDICT_BYTES = 200 * 1024;
/** Of one verdict beside what the engine said: the item's digest, the expiry and the names of the fields. */
const VERDICT_FRAME_BYTES = 192;

export interface Judging {
  readonly key: AggregateKey;
  readonly policy: TenantPolicy;
  readonly session: SessionState;
  readonly now: Date;
  /** The arguments as they stand now; undefined: they are lost. @throws GateError UNAVAILABLE */
  readonly inputOf: (item: ItemState, policy: TenantPolicy, session: SessionState) => Json | undefined | Promise<Json | undefined>;
  /** What the tenant's subscribers said of the item as it is now; undefined: they were not asked yet. */
  readonly vetoesOf: (item: ItemState) => readonly VetoAnswer[] | undefined;
}

export interface Judgement {
  readonly verdicts: readonly JudgedItem[];
  /** What was asked for these verdicts. */
  readonly vetoes: readonly VetoAnswer[];
  /** Ready, but the tenant's subscribers come first. */
  readonly unasked: readonly ItemState[];
  /** More are ready than one event holds. */
  readonly more: boolean;
}

/** Each item that is ready, on its own: of the fold, the tenant's policy, the session, the answers and the time only. */
export async function judgeReady(plan: PlanState, judging: Judging): Promise<Judgement> {
  const ready = itemsToJudge(plan, judging.now);
  const verdicts: JudgedItem[] = [];
  const vetoes: VetoAnswer[] = [];
  const unasked: ItemState[] = [];
  let bytes = 0;
  for (const item of ready) {
    const judged = await judgeItem(item, judging);
    if (!judged) {
      unasked.push(item);
      continue;
    }
    bytes += VERDICT_FRAME_BYTES + Buffer.byteLength(JSON.stringify([judged.verdict, judged.vetoes]));
    if (bytes > VERDICT_BYTES && verdicts.length > 0) break;
    verdicts.push(judged.verdict);
    vetoes.push(...judged.vetoes);
  }
  return { verdicts, vetoes, unasked, more: verdicts.length + unasked.length < ready.length };
}

interface JudgedOne { readonly verdict: JudgedItem; readonly vetoes: readonly VetoAnswer[] }

/** Undefined: subscribers come first. */
async function judgeItem(item: ItemState, judging: Judging): Promise<JudgedOne | undefined> {
  const { policy, key, session, now } = judging;
  const input = await judging.inputOf(item, policy, session);
  const without = itemFactsOf(item, { key, session, tenant: policy.tenant, now: now.toISOString(), input });
  const first = judge(policy.compiled, without);
  if (policy.tenant.subscribers.size === 0 || !awaitsVeto(without, first)) return { verdict: asJudged(item, first, policy, without), vetoes: [] };
  const vetoes = answeredByAll(policy, judging.vetoesOf(item) ?? []);
  if (!vetoes) return undefined;
  const facts = { ...without, vetoes };
  return { verdict: asJudged(item, judge(policy.compiled, facts), policy, facts), vetoes };
}

/** Who became a subscriber since they were asked is asked as well; who is none any more does not count. */
function answeredByAll({ tenant: { subscribers } }: TenantPolicy, answers: readonly VetoAnswer[]): readonly VetoAnswer[] | undefined {
  const counting = answers.filter(({ subscriber }) => subscribers.has(subscriber));
  return new Set(counting.map(({ subscriber }) => subscriber)).size === subscribers.size ? counting : undefined;
}

function asJudged({ itemId }: ItemState, verdict: LayeredVerdict, { shadow }: TenantPolicy, facts: ItemFacts): JudgedItem {
  const { rule: _, ...said } = verdict;
  if (!shadow) return { itemId, ...said };
  const { decision, decidedBy } = judge(shadow.compiled, facts);
  return { itemId, ...said, shadow: { decision, decidedBy } };
}
