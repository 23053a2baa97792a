import type { Evaluated, ItemId, ItemVerdict, PlanEvent, PlanId } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { itemDigestOf } from '../item-digest.js';
import { isPending, type ItemState } from '../item.js';
import type { PlanState } from '../state.js';

/** What the engine said of one item. Its digest and terms are added here. */
export type JudgedItem = Omit<ItemVerdict, 'itemDigest' | 'expiresAt'>;

export interface RecordVerdicts extends Pick<Evaluated, 'bundle' | 'saw' | 'evaluatedAt' | 'engine'> {
  readonly planId: PlanId;
  readonly verdicts: readonly JudgedItem[];
  /** When an ask of this evaluation expires. RFC 3339, UTC. */
  readonly askExpiresAt: string;
}

export interface VerdictsRecorded { readonly judged: readonly ItemId[] }

/**
 * Keeps verdicts on items that are pending; a verdict for anything else changes nothing (it came twice, or too late).
 * @throws GateError INTERNAL for an ask on a read or interactive item: the engine turns those into deny
 */
export function recordVerdicts(plan: PlanState, command: RecordVerdicts): Decision<PlanEvent, VerdictsRecorded> {
  const { planId, verdicts, askExpiresAt, ...facts } = command;
  const judged = new Map<ItemId, { readonly item: ItemState; readonly verdict: ItemVerdict }>();
  for (const verdict of verdicts) {
    const item = plan.items.get(verdict.itemId);
    if (!item || !isPending(item) || judged.has(verdict.itemId)) continue;
    judged.set(verdict.itemId, { item, verdict: withTerms(planId, item, verdict, askExpiresAt) });
  }
  const reply = { judged: [...judged.keys()] };
  if (judged.size === 0) return { reply };
  const round = 1 + Math.max(...[...judged.values()].map(({ item }) => item.round));
  const items = [...judged.values()].map(({ verdict }) => verdict);
  return { event: { type: 'plan.Evaluated', data: { round, items, ...facts } }, reply };
}

function withTerms(planId: PlanId, item: ItemState, verdict: JudgedItem, askExpiresAt: string): ItemVerdict {
  if (verdict.decision !== 'ask') return { ...verdict, itemDigest: itemDigestOf(planId, item, {}) };
  if (item.operation.kind !== 'resource') throw new GateError('INTERNAL', `Item ${item.itemId} is ${item.operation.kind} and cannot be asked`);
  return { ...verdict, itemDigest: itemDigestOf(planId, item, { expiresAt: askExpiresAt }), expiresAt: askExpiresAt };
}
