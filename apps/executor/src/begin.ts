import type { ApplyAttempt } from '@countersign/contracts';
import { needsStart, openAttemptOf, startApply, type ApplyBegun } from '@countersign/domain-plan';
import { faultPoint } from '@countersign/fault-points';
import type { BodiesOf } from './bodies.js';
import type { ExecutorParts, Task, Wanted, Work } from './work.js';

/** An attempt takes up to 450 bytes, and an event has 256 KiB. */
const STARTED_TOGETHER = 500;

export interface Begun {
  /** To be called now. */
  readonly tasks: readonly Task[];
  /** The plan was stopped before these could be started. */
  readonly tooLate: readonly Wanted[];
}

/**
 * Reads are simply called. What changes the world is started first, durably and in one event (a second from the 501st
 * item on); of two executors one wins each item, and only what this append has started is in the answer.
 */
export async function begin(wanted: readonly Wanted[], bodies: BodiesOf, work: Work, parts: ExecutorParts): Promise<Begun> {
  const recovering = wanted.some(({ item }) => openAttemptOf(item) !== undefined);
  const resources = wanted.filter(({ item }) => needsStart(item)).map(({ item }) => item.itemId);
  const started = new Map<string, ApplyAttempt>();
  const tooLate = new Set<string>();
  let planStopped = false;
  for (let from = 0; from < resources.length; from += STARTED_TOGETHER) {
    await faultPoint('executor.before-start');
    const group = resources.slice(from, from + STARTED_TOGETHER);
    const { attempts, stopped } = await startTogether(group, recovering, work, parts);
    for (const attempt of attempts) started.set(attempt.itemId, attempt);
    if (stopped) for (const itemId of group) tooLate.add(itemId);
    planStopped ||= stopped === true;
  }
  // no start has proven the plan for them
  if (planStopped) for (const { item } of wanted) if (!needsStart(item)) tooLate.add(item.itemId);
  const tasks = wanted.flatMap(({ item, doubt }): Task[] => {
    const task = { item, doubt, bodies: bodies.get(item.itemId)! };
    if (!needsStart(item)) return tooLate.has(item.itemId) ? [] : [task];
    const attempt = started.get(item.itemId);
    return attempt ? [{ ...task, attempt }] : [];
  });
  return { tasks, tooLate: wanted.filter(({ item }) => tooLate.has(item.itemId)) };
}

async function startTogether(items: readonly string[], recovering: boolean, work: Work, parts: ExecutorParts): Promise<ApplyBegun> {
  const { key: { tenant, id: planId }, lease, meta, atLeast } = work;
  const startedAt = parts.now().toISOString();
  const { reply } = await parts.plans.transact(
    work.key, ({ state }) => startApply(state, { tenant, planId, items, lease, startedAt, recovering }), { meta, atLeast });
  return reply;
}
