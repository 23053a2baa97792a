import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, type JsonObject, type ProviderFailure } from '@countersign/contracts';
import { faultPoint } from '@countersign/fault-points';
import { deadlineIn, failure, leavesDoubt, type FailedAnswer } from '@countersign/providers';
import { judgeReconciled, judgeResult, type Judged } from './judge-result.js';
import { callFor, providerOf, reconcileItem } from './provider-call.js';
import { afterFailure, backoffMs, MAX_TRIES } from './retry-rules.js';
import { leaseOver, type ExecutorParts, type Task, type Work } from './work.js';

/**
 * Calls one item until it has ended: retries what may be retried, and settles doubt before anything else.
 * @throws GateError UNAVAILABLE when the lease ended and the item is left open for the message's next delivery
 */
export async function callItem(task: Task, input: JsonObject, work: Work, parts: ExecutorParts): Promise<Judged> {
  const { operation } = task.item;
  const provider = providerOf(task, work, parts);
  if (!provider) return { outcome: 'failed', error: failure('execution_failed', 'This gate cannot reach providers of that kind; the call was not made') };
  const timeoutMs = operation.timeoutMs ?? LIMITS.applyTimeoutMs;
  let deadline = deadlineIn(timeoutMs, work.signal);
  let doubt = task.doubt === true;
  try {
    for (let tries = 1; ; tries += 1) {
      await faultPoint('executor.before-apply');
      if (work.signal.aborted) throw leaseOver();
      const answer = await provider.apply(callFor(task, input, work, deadline.signal));
      if (answer.ok) return await judgeResult(operation, answer.result, parts, work.key.tenant);
      if (work.signal.aborted && endedByLease(answer)) throw leaseOver();
      const next = afterFailure(operation, answer, tries, deadline.leftMs());
      if (next === 'failed') return { outcome: doubt ? 'indeterminate' : 'failed', error: answer.error };
      if (next === 'doubt') {
        const settled = await settleDoubt(task, input, { error: answer.error, tries }, work, parts);
        if (settled.next === 'end') return settled.judged;
        doubt = settled.next === 'retry_in_doubt';
      }
      await sleep(backoffMs(tries), undefined, { signal: work.signal }).catch(() => { throw leaseOver(); });
      if (next !== 'doubt') continue;
      deadline.end();
      deadline = deadlineIn(timeoutMs, work.signal);
    }
  } finally {
    deadline.end();
  }
}

/** What the provider clearly said is kept whoever has the message now; the rest is the next delivery's to find out. */
const endedByLease = (answer: FailedAnswer): boolean => leavesDoubt(answer) || answer.error.category === 'cancelled';

type Settled =
  | { readonly next: 'end'; readonly judged: Judged }
  /** No call of this item has had an effect. */
  | { readonly next: 'retry' }
  /** One may have had it; the provider holds to one effect a key. Whatever fails from here on proves nothing. */
  | { readonly next: 'retry_in_doubt' };

/**
 * Nobody heard what became of the call: ask the provider; call again only where it certainly had no effect and may be
 * repeated, or where the provider itself holds to one effect a key; otherwise a person resolves it.
 */
async function settleDoubt(
  task: Task, input: JsonObject, { error, tries }: { error: ProviderFailure; tries: number }, work: Work, parts: ExecutorParts,
): Promise<Settled> {
  const { operation } = task.item;
  const mayTry = tries < MAX_TRIES && error.retryable;
  if (operation.reconcilable) {
    const answer = await reconcileItem(task, input, work, parts);
    if (answer.found === 'applied') return { next: 'end', judged: await judgeReconciled(operation, answer.result, parts, work.key.tenant) };
    if (answer.found === 'not_applied') {
      return mayTry && operation.idempotent ? { next: 'retry' } : { next: 'end', judged: { outcome: 'failed', error } };
    }
  }
  if (work.signal.aborted) throw leaseOver();
  return operation.enforcesKey && mayTry ? { next: 'retry_in_doubt' } : { next: 'end', judged: { outcome: 'indeterminate', error } };
}
