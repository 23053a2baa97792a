import { LIMITS, type AskTerms, type Evaluated, type ItemId, type ItemVerdict, type PlanEvent, type PlanId } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { itemDigestOf } from '../item-digest.js';
import { isCorrected, isPending, type ItemState } from '../item.js';
import type { PlanState } from '../state.js';

/** What the engine said of one item. Its digest and the moment of its expiry are added here. */
export interface JudgedItem extends Omit<ItemVerdict, 'itemDigest' | 'expiresAt'> {
  /** Of an ask, from the evaluation on. Absent: `LIMITS.askExpiryMs`. Without effect where the terms keep waiting, and on a corrected item. */
  readonly expiresInMs?: number;
}

export interface RecordVerdicts extends Omit<Evaluated, 'round' | 'items'> {
  readonly planId: PlanId;
  readonly verdicts: readonly JudgedItem[];
}

export interface VerdictsRecorded { readonly judged: readonly ItemId[] }

/**
 * Keeps verdicts on items that are pending; a verdict for anything else changes nothing (it came twice, or too late).
 * @throws GateError INTERNAL for an ask on a read or interactive item: the engine turns those into deny
 */
export function recordVerdicts(plan: PlanState, command: RecordVerdicts): Decision<PlanEvent, VerdictsRecorded> {
  const { planId, verdicts, ...facts } = command;
  const judged = new Map<ItemId, { readonly item: ItemState; readonly verdict: ItemVerdict }>();
  for (const verdict of verdicts) {
    const item = plan.items.get(verdict.itemId);
    if (!item || !isPending(item) || judged.has(verdict.itemId)) continue;
    judged.set(verdict.itemId, { item, verdict: asRecorded(planId, item, verdict, facts.evaluatedAt) });
  }
  const reply = { judged: [...judged.keys()] };
  if (judged.size === 0) return { reply };
  const round = 1 + Math.max(...[...judged.values()].map(({ item }) => item.round));
  const items = [...judged.values()].map(({ verdict }) => verdict);
  return { event: { type: 'plan.Evaluated', data: { round, items, ...facts } }, reply };
}

function asRecorded(planId: PlanId, item: ItemState, judged: JudgedItem, evaluatedAt: string): ItemVerdict {
  const { expiresInMs, ...said } = isCorrected(item) ? toBeConfirmed(judged) : judged;
  if (said.decision !== 'ask') return { ...said, itemDigest: itemDigestOf(planId, item, said) };
  if (item.operation.kind !== 'resource') throw new GateError('INTERNAL', `Item ${item.itemId} is ${item.operation.kind} and cannot be asked`);
  const asked = withExpiry(said, expiresAtOf(item, said.terms, Date.parse(evaluatedAt) + (expiresInMs ?? LIMITS.askExpiryMs)));
  return { ...asked, itemDigest: itemDigestOf(planId, item, asked) };
}

/** A person changed the arguments: what policy would allow now, a person who sees it confirms. `layers` keep what policy said. */
function toBeConfirmed(judged: JudgedItem): JudgedItem {
  if (judged.decision !== 'allow') return judged;
  return { ...judged, decision: 'ask', terms: { quorum: 1, onTimeout: 'deny', scopes: ['once'], confirmation: true } };
}

/** The expiry of the first ask runs on through every correction; it is never extended, and where a rule waits there is none. */
function expiresAtOf(item: ItemState, terms: AskTerms | undefined, otherwise: number): string | undefined {
  const first = item.earlier[0]?.verdict.expiresAt;
  if (first !== undefined) return first;
  return terms?.onTimeout === 'wait' ? undefined : new Date(otherwise).toISOString();
}

type Asked = Omit<ItemVerdict, 'itemDigest'>;

function withExpiry(said: Asked, expiresAt: string | undefined): Asked {
  if (expiresAt === undefined) return said;
  // a corrected item that expires says so, whatever the rule that asks now would do
  const terms = said.terms?.onTimeout === 'wait' ? { ...said.terms, onTimeout: 'deny' as const } : said.terms;
  return { ...said, ...(terms ? { terms } : {}), expiresAt };
}
