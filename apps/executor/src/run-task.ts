import { failure } from '@countersign/providers';
import { callItem } from './call-item.js';
import { judgeStopped, type Judged } from './judge-result.js';
import { lockDomainOf } from './lock-domains.js';
import { whyNotAnyMore } from './why-not.js';
import { leaseOver, outcomeLost, type Ended, type ExecutorParts, type Task, type Work } from './work.js';

/** One item to its end: within its lock, and not if it must not be called any more by the time it has it. */
export async function runTask(task: Task, work: Work, parts: ExecutorParts): Promise<Ended> {
  const startedAt = parts.now().toISOString();
  const judged = await lockedCall(task, work, parts);
  return { itemId: task.item.itemId, attempt: task.attempt?.attempt ?? 1, ...judged, startedAt, endedAt: parts.now().toISOString() };
}

async function lockedCall(task: Task, work: Work, parts: ExecutorParts): Promise<Judged> {
  const { bodies } = task;
  if ('gone' in bodies) return notCalled(`The stored ${bodies.gone} cannot be read; the call was not made`, task);
  const held = await parts.locks.acquire(lockDomainOf(work.key, task.item, bodies.input), work.signal);
  if (!held) throw leaseOver();
  try {
    const stopped = held.waited ? await whyNotAnyMore(task.item, bodies.input, work, parts) : undefined;
    return stopped ? judgeStopped(stopped, task.doubt === true) : await callItem(task, bodies, work, parts);
  } finally {
    held.release();
  }
}

const notCalled = (why: string, { doubt }: Task): Judged =>
  (doubt ? { outcome: 'indeterminate', error: outcomeLost() } : { outcome: 'failed', error: failure('execution_failed', why) });
