import { afterReconcile, type ItemState, type PlanState, type Recovery } from '@countersign/domain-plan';
import { failure } from '@countersign/providers';
import { judgeReconciled, type Judged } from './judge-result.js';
import { reconcileItem } from './provider-call.js';
import { storedInput } from './run-task.js';
import { leaseOver, notStarted, type Ended, type ExecutorParts, type Work } from './work.js';

export interface Recovered {
  readonly ended: readonly Ended[];
  /** To be started anew, under the same key and a higher fence. */
  readonly again: readonly Again[];
}

export interface Again {
  readonly item: ItemState;
  /** The lost attempt may have taken effect; the provider holds to one effect a key. */
  readonly doubt: boolean;
}

/**
 * The message has come again, and attempts that name it have no end: the process that made them is gone or has lost
 * it. Each provider says what it can; nothing is run again on a guess.
 * @param mayCall the session is still open
 */
export async function recoverOpen(
  recoveries: readonly Recovery[], plan: PlanState, mayCall: boolean, work: Work, parts: ExecutorParts,
): Promise<Recovered> {
  const ended: Ended[] = [];
  const again: Again[] = [];
  await Promise.all(recoveries.map(async (recovery) => {
    const item = plan.items.get(recovery.itemId)!;
    const judged = await recoverOne(item, recovery, mayCall, work, parts);
    if ('again' in judged) again.push({ item, doubt: judged.again === 'in_doubt' });
    else ended.push(endedNow(item, recovery, judged, parts));
  }));
  return { ended, again };
}

async function recoverOne(item: ItemState, { action }: Recovery, mayCall: boolean, work: Work, parts: ExecutorParts): Promise<Judged | { readonly again: 'in_doubt' | 'no_effect' }> {
  if (action === 'indeterminate') return indeterminate();
  if (action === 'retry') return mayCall ? { again: 'in_doubt' } : indeterminate();
  const task = { item, attempt: item.attempts.at(-1)! };
  const input = await storedInput(task, work, parts);
  if (input === undefined) return indeterminate();
  const answer = await reconcileItem(task, input, work, parts);
  if (work.signal.aborted) throw leaseOver();
  if (answer.found === 'applied') return await judgeReconciled(item.operation, answer.result, parts, work.key.tenant);
  if (!mayCall) return answer.found === 'not_applied' ? { outcome: 'skipped', error: notStarted() } : indeterminate();
  if (afterReconcile(item, answer.found) !== 'retry') return indeterminate();
  return { again: answer.found === 'not_applied' ? 'no_effect' : 'in_doubt' };
}

const indeterminate = (): Judged => ({
  outcome: 'indeterminate',
  error: failure('unknown', 'The call was begun, and its outcome was lost; whether it took effect is not known', false),
});

function endedNow(item: ItemState, { attempt }: Recovery, judged: Judged, parts: ExecutorParts): Ended {
  const endedAt = parts.now().toISOString();
  return { itemId: item.itemId, attempt, ...judged, startedAt: item.attempts.at(-1)?.startedAt ?? endedAt, endedAt };
}
