import { LIMITS, type ItemOutcome } from '@countersign/contracts';
import { recordOutcomes } from '@countersign/domain-plan';
import { faultPoint } from '@countersign/fault-points';
import { sealResults } from './seal-results.js';
import type { Ended, ExecutorParts, Work } from './work.js';

/** Of one event's outcomes, its inline results not counted: those are bounded by `sealAll`. */
const FACTS_BYTES = LIMITS.eventBytes - LIMITS.inlineBodiesPerEventBytes - 16 * 1024;

/**
 * Appends how items ended, in plan order, as few events as fit. It reports effects, so it is tried until it lands;
 * the decision refuses what does not match the plan.
 */
export async function recordEnded(ended: readonly Ended[], work: Work, parts: ExecutorParts): Promise<void> {
  if (ended.length === 0) return;
  const outcomes = await sealed(inPlanOrder(ended, work), work, parts);
  for (const group of fittingOneEvent(outcomes)) {
    await faultPoint('executor.before-outcome');
    const { reply } = await parts.plans.transact(
      work.key, ({ state }) => recordOutcomes(state, { outcomes: group }), { meta: work.meta, atLeast: work.atLeast, untilItLands: true });
    if (reply.duplicateEffectPossible.length > 0) {
      parts.logger.error({ code: 'DUPLICATE_EFFECT_POSSIBLE', plan: work.key.id, items: reply.duplicateEffectPossible }, 'an effect was reported by an attempt that was given up');
    }
    await faultPoint('executor.after-outcome');
  }
}

function inPlanOrder(ended: readonly Ended[], { proposed }: Work): Ended[] {
  const place = new Map(proposed.items.map((item, index) => [item.itemId, index]));
  return [...ended].sort((a, b) => place.get(a.itemId)! - place.get(b.itemId)!);
}

async function sealed(ended: readonly Ended[], work: Work, parts: ExecutorParts): Promise<ItemOutcome[]> {
  const withResult = ended.filter((one) => one.result !== undefined);
  const seals = await sealResults(withResult.map((one) => one.result!), work, parts);
  const sealOf = new Map(withResult.map((one, index) => [one.itemId, seals[index]!]));
  return ended.map(({ result: _, ...facts }) => {
    const result = sealOf.get(facts.itemId);
    return result ? { ...facts, result } : facts;
  });
}

function* fittingOneEvent(outcomes: readonly ItemOutcome[]): Generator<ItemOutcome[]> {
  let group: ItemOutcome[] = [];
  let bytes = 0;
  for (const outcome of outcomes) {
    const { result, ...facts } = outcome;
    const size = Buffer.byteLength(JSON.stringify(facts)) + (result ? 200 : 0);
    if (group.length > 0 && bytes + size > FACTS_BYTES) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(outcome);
    bytes += size;
  }
  if (group.length > 0) yield group;
}
