import { setTimeout as sleep } from 'node:timers/promises';
import { sessionKey, type JsonObject } from '@countersign/contracts';
import { isOpen } from '@countersign/domain-session';
import { unseal } from '@countersign/event-log';
import { isGateError } from '@countersign/kernel';
import { failure } from '@countersign/providers';
import { callItem } from './call-item.js';
import type { Judged } from './judge-result.js';
import { lockDomainOf } from './lock-domains.js';
import { leaseOver, notStarted, type Ended, type ExecutorParts, type Task, type Work } from './work.js';

const READ_TRIES = 3;
const READ_AGAIN_MS = 200;

/** One item from its stored input to its end: within its lock, and not if its session ended while it waited for it. */
export async function runTask(task: Task, work: Work, parts: ExecutorParts): Promise<Ended> {
  const startedAt = parts.now().toISOString();
  const judged = await lockedCall(task, work, parts);
  return { itemId: task.item.itemId, attempt: task.attempt?.attempt ?? 1, ...judged, startedAt, endedAt: parts.now().toISOString() };
}

async function lockedCall(task: Task, work: Work, parts: ExecutorParts): Promise<Judged> {
  const input = await storedInput(task, work, parts);
  if (input === undefined) {
    return { outcome: 'failed', error: failure('execution_failed', 'The stored input cannot be read; the call was not made') };
  }
  const held = await parts.locks.acquire(lockDomainOf(work.key, task.item, input), work.signal);
  if (!held) throw leaseOver();
  try {
    if (held.waited && !(await sessionIsOpen(work, parts))) return { outcome: 'skipped', error: notStarted() };
    return await callItem(task, input, work, parts);
  } finally {
    held.release();
  }
}

/** As the leader has it: what has ended is not started. A session that nobody opened is not open. */
export async function sessionIsOpen({ key }: Pick<Work, 'key'>, parts: ExecutorParts): Promise<boolean> {
  return isOpen((await parts.sessions.fresh(sessionKey(key.tenant, key.session))).state);
}

/** Arguments come from the log and from nowhere else. Undefined: the body is not to be had. */
export async function storedInput({ item }: Task, work: Work, { blobs }: ExecutorParts): Promise<JsonObject | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await unseal(item.proposed.input, { blobs, tenant: work.key.tenant });
    } catch (error) {
      if (!isGateError(error)) throw error;
      if (tries === READ_TRIES) return undefined;
      await sleep(READ_AGAIN_MS, undefined, { signal: work.signal }).catch(() => { throw leaseOver(); });
    }
  }
}
