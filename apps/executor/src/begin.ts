import type { ApplyAttempt } from '@countersign/contracts';
import { needsStart, startApply, type ItemState } from '@countersign/domain-plan';
import { faultPoint } from '@countersign/fault-points';
import type { Again } from './recover.js';
import type { ExecutorParts, Task, Work } from './work.js';

/** An attempt takes up to 450 bytes, and an event has 256 KiB. */
const STARTED_TOGETHER = 500;

/**
 * Reads are simply called. What changes the world is started first, durably and in one event (a second from the 501st
 * item on); of two executors one wins each item, and only what this append has started is in the answer.
 * @param recovered items whose earlier attempt under this message is given up for a new one
 */
export async function begin(ready: readonly ItemState[], recovered: readonly Again[], work: Work, parts: ExecutorParts): Promise<Task[]> {
  const beginning: readonly Again[] = [...ready.map((item) => ({ item, doubt: false })), ...recovered];
  const resources = beginning.filter(({ item }) => needsStart(item)).map(({ item }) => item.itemId);
  const started = new Map<string, ApplyAttempt>();
  for (let from = 0; from < resources.length; from += STARTED_TOGETHER) {
    await faultPoint('executor.before-start');
    const attempts = await startTogether(resources.slice(from, from + STARTED_TOGETHER), recovered.length > 0, work, parts);
    for (const attempt of attempts) started.set(attempt.itemId, attempt);
  }
  return beginning.flatMap(({ item, doubt }): Task[] => {
    if (!needsStart(item)) return [{ item }];
    const attempt = started.get(item.itemId);
    return attempt ? [{ item, attempt, doubt }] : [];
  });
}

async function startTogether(items: readonly string[], recovering: boolean, work: Work, parts: ExecutorParts): Promise<readonly ApplyAttempt[]> {
  const { key: { tenant, id: planId }, lease, meta, atLeast } = work;
  const startedAt = parts.now().toISOString();
  const { reply } = await parts.plans.transact(
    work.key, ({ state }) => startApply(state, { tenant, planId, items, lease, startedAt, recovering }), { meta, atLeast });
  return reply.attempts;
}
