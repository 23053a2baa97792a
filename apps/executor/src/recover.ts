import { afterReconcile, type ItemState, type PlanState, type Recovery } from '@countersign/domain-plan';
import { readBodies } from './bodies.js';
import { judgeReconciled, type Judged } from './judge-result.js';
import { reconcileItem } from './provider-call.js';
import { effectNotShown, leaseOver, outcomeLost, type Ended, type ExecutorParts, type Wanted, type Work } from './work.js';

export interface Recovered {
  readonly ended: readonly Ended[];
  /** To be started anew, under the same key and a higher fence, if they may still be called. */
  readonly again: readonly Wanted[];
}

/**
 * The message has come again, and attempts that name it have no end: the process that made them is gone or has lost
 * it, or is asleep. Each provider says what it can; nothing is run again on a guess, and whatever is stays in doubt until it is there.
 */
export async function recoverOpen(recoveries: readonly Recovery[], plan: PlanState, work: Work, parts: ExecutorParts): Promise<Recovered> {
  const ended: Ended[] = [];
  const again: Wanted[] = [];
  await Promise.all(recoveries.map(async (recovery) => {
    const item = plan.items.get(recovery.itemId)!;
    const found = await recoverOne(item, recovery, work, parts);
    if (found === 'again') again.push({ item, doubt: true });
    else ended.push(endOfLostAttempt(item, found, parts));
  }));
  return { ended, again };
}

async function recoverOne(item: ItemState, { action }: Recovery, work: Work, parts: ExecutorParts): Promise<Judged | 'again'> {
  const nobodyKnows: Judged = { outcome: 'indeterminate', error: outcomeLost() };
  if (action === 'indeterminate') return nobodyKnows;
  if (action === 'retry') return 'again';
  const bodies = (await readBodies([item], work, parts)).get(item.itemId)!;
  if ('gone' in bodies) return nobodyKnows;
  const answer = await reconcileItem({ item, attempt: item.attempts.at(-1)! }, bodies.input, work, parts);
  if (work.signal.aborted) throw leaseOver();
  if (answer.found === 'applied') return judgeReconciled(bodies, answer.result);
  if (afterReconcile(item, answer.found) === 'retry') return 'again';
  return answer.found === 'not_applied' ? { outcome: 'indeterminate', error: effectNotShown() } : nobodyKnows;
}

/** The end of the attempt whose process was lost, as it was found out or given up now. */
export function endOfLostAttempt(item: ItemState, judged: Judged, parts: ExecutorParts): Ended {
  const endedAt = parts.now().toISOString();
  const lost = item.attempts.at(-1)!;
  return { itemId: item.itemId, attempt: lost.attempt, ...judged, startedAt: lost.startedAt, endedAt };
}
