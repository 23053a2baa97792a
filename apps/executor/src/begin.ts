import type { ApplyAttempt } from '@countersign/contracts';
import { needsStart, openAttemptOf, startApply } from '@countersign/domain-plan';
import { faultPoint } from '@countersign/fault-points';
import type { BodiesOf } from './bodies.js';
import type { ExecutorParts, Task, Wanted, Work } from './work.js';

/** An attempt takes up to 450 bytes, and an event has 256 KiB. */
const STARTED_TOGETHER = 500;

/**
 * Reads are simply called. What changes the world is started first, durably and in one event (a second from the 501st
 * item on); of two executors one wins each item, and only what this append has started is in the answer.
 */
export async function begin(wanted: readonly Wanted[], bodies: BodiesOf, work: Work, parts: ExecutorParts): Promise<Task[]> {
  const recovering = wanted.some(({ item }) => openAttemptOf(item) !== undefined);
  const resources = wanted.filter(({ item }) => needsStart(item)).map(({ item }) => item.itemId);
  const started = new Map<string, ApplyAttempt>();
  for (let from = 0; from < resources.length; from += STARTED_TOGETHER) {
    await faultPoint('executor.before-start');
    const attempts = await startTogether(resources.slice(from, from + STARTED_TOGETHER), recovering, work, parts);
    for (const attempt of attempts) started.set(attempt.itemId, attempt);
  }
  return wanted.flatMap(({ item, doubt }): Task[] => {
    const task = { item, doubt, bodies: bodies.get(item.itemId)! };
    if (!needsStart(item)) return [task];
    const attempt = started.get(item.itemId);
    return attempt ? [{ ...task, attempt }] : [];
  });
}

async function startTogether(items: readonly string[], recovering: boolean, work: Work, parts: ExecutorParts): Promise<readonly ApplyAttempt[]> {
  const { key: { tenant, id: planId }, lease, meta, atLeast } = work;
  const startedAt = parts.now().toISOString();
  const { reply } = await parts.plans.transact(
    work.key, ({ state }) => startApply(state, { tenant, planId, items, lease, startedAt, recovering }), { meta, atLeast });
  return reply.attempts;
}
