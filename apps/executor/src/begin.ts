import { needsStart, startApply, type ItemState } from '@countersign/domain-plan';
import { faultPoint } from '@countersign/fault-points';
import type { Again } from './recover.js';
import type { ExecutorParts, Task, Work } from './work.js';

/**
 * Reads are simply called. What changes the world is started first, durably and all in one event; of two executors one
 * wins each item, and only what this append has started is in the answer.
 * @param recovered items whose earlier attempt under this message is given up for a new one
 */
export async function begin(ready: readonly ItemState[], recovered: readonly Again[], work: Work, parts: ExecutorParts): Promise<Task[]> {
  const reads = ready.filter((item) => !needsStart(item));
  const resources = [...ready.filter(needsStart), ...recovered.map(({ item }) => item)];
  if (resources.length === 0) return reads.map((item) => ({ item }));
  await faultPoint('executor.before-start');
  const { reply } = await parts.plans.transact(work.key, ({ state }) => startApply(state, {
    tenant: work.key.tenant,
    planId: work.key.id,
    items: resources.map((item) => item.itemId),
    lease: work.lease,
    startedAt: parts.now().toISOString(),
    recovering: recovered.length > 0,
  }), { meta: work.meta, atLeast: work.atLeast });
  const started = new Map(reply.attempts.map((attempt) => [attempt.itemId, attempt]));
  const beginning = [...ready.map((item) => ({ item, doubt: false })), ...recovered];
  return beginning.flatMap(({ item, doubt }): Task[] => {
    if (!needsStart(item)) return [{ item }];
    const attempt = started.get(item.itemId);
    return attempt ? [{ item, attempt, doubt }] : [];
  });
}
