import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, sessionKey, type Freeze, type ProviderFailure } from '@countersign/contracts';
import type { SessionState } from '@countersign/domain-session';
import { faultPoint } from '@countersign/fault-points';
import { failure, leavesDoubt, waitingDeadline, type ApplyAnswer, type FailedAnswer, type Provider } from '@countersign/providers';
import type { Bodies } from './bodies.js';
import { judgeReconciled, judgeResult, judgeStopped, type Judged } from './judge-result.js';
import { callFor, providerOf, reconcileItem } from './provider-call.js';
import { afterFailure, backoffMs, MAX_TRIES } from './retry-rules.js';
import { callOf, frozenWhile, whyFrozen, whyNotAnyMore } from './why-not.js';
import { leaseOver, type ExecutorParts, type Task, type Work } from './work.js';

/**
 * Calls one item until it has ended: retries what may be retried, and settles doubt before anything else.
 * @throws GateError UNAVAILABLE when the lease ended and the item is left open for the message's next delivery
 */
export async function callItem(task: Task, bodies: Bodies, work: Work, parts: ExecutorParts): Promise<Judged> {
  const { operation } = task.item;
  const provider = providerOf(task, work, parts);
  if (!provider) return { outcome: 'failed', error: failure('execution_failed', 'This gate cannot reach providers of that kind; the call was not made') };
  const timeoutMs = operation.timeoutMs ?? LIMITS.applyTimeoutMs;
  let leftMs = timeoutMs;
  let doubt = task.doubt;
  let last: ProviderFailure | undefined;
  for (let tries = 1; ; tries += 1) {
    const tried = await tryOnce(provider, task, bodies, leftMs, work, parts);
    if ('stopped' in tried) return judgeStopped(tried.stopped, doubt, last);
    const { answer } = tried;
    if (answer.ok) return judgeResult(bodies, answer.result);
    if (work.signal.aborted && endedByLease(answer)) throw leaseOver();
    last = answer.error;
    leftMs = tried.leftMs;
    const next = afterFailure(operation, answer, tries, leftMs);
    if (next === 'failed') return { outcome: doubt ? 'indeterminate' : 'failed', error: last };
    if (next === 'doubt') {
      const settled = await settleDoubt(task, bodies, { error: last, tries }, work, parts);
      if (settled.next === 'end') return settled.judged;
      doubt = task.doubt || settled.next === 'retry_in_doubt';
      leftMs = timeoutMs;
    }
    await sleep(backoffMs(tries), undefined, { signal: work.signal }).catch(() => { throw leaseOver(); });
    const stopped = await whyNotAnyMore(task.item, bodies.input, work, parts);
    if (stopped) return judgeStopped(stopped, doubt, last);
  }
}

type Tried = { readonly answer: ApplyAnswer; readonly leftMs: number } | { readonly stopped: ProviderFailure };

/** The call's time runs from its turn at the provider; if it stood in line for that, it is looked at again whether it is still wanted. */
async function tryOnce(provider: Provider, task: Task, bodies: Bodies, leftMs: number, work: Work, parts: ExecutorParts): Promise<Tried> {
  await faultPoint('executor.before-apply');
  if (work.signal.aborted) throw leaseOver();
  const call = callOf(work.key.session, task.item, await sessionOf(work, parts));
  const running = parts.running.prepare(work.key.tenant, call, work.signal);
  const deadline = waitingDeadline(leftMs, running.signal);
  let stopped: ProviderFailure | undefined;
  const onTurn = async (waited: boolean): Promise<boolean> => {
    stopped = await (waited ? whyNotAnyMore(task.item, bodies.input, work, parts) : whyFrozen(call, work, parts));
    if (stopped) return false;
    deadline.begin();
    running.begin();
    return true;
  };
  const answer = await provider.apply({ ...callFor(task, bodies.input, work, deadline.signal), onTurn }).finally(() => {
    deadline.end();
    running.end();
  });
  return stopped ? { stopped } : { answer: inWordsOf(running.frozen(), answer), leftMs: deadline.leftMs() };
}

/** It was looked at a moment ago, so that it is known here; only for whom the agent is. */
async function sessionOf({ key: { tenant, session } }: Work, parts: ExecutorParts): Promise<SessionState> {
  const key = sessionKey(tenant, session);
  return (parts.sessions.known(key) ?? await parts.sessions.get(key)).state;
}

/** The provider only knows that it was told to cancel. */
function inWordsOf(freeze: Freeze | undefined, answer: ApplyAnswer): ApplyAnswer {
  if (!freeze || answer.ok || answer.error.category !== 'cancelled') return answer;
  return { ...answer, error: { ...answer.error, message: frozenWhile(freeze) } };
}

/** What the provider clearly said is kept whoever has the message now; the rest is the next delivery's to find out. */
const endedByLease = (answer: FailedAnswer): boolean => leavesDoubt(answer) || answer.error.category === 'cancelled';

type Settled =
  | { readonly next: 'end'; readonly judged: Judged }
  /** No call of this attempt has had an effect. */
  | { readonly next: 'retry' }
  /** One may have had it; the provider holds to one effect a key. Whatever fails from here on proves nothing. */
  | { readonly next: 'retry_in_doubt' };

/**
 * Nobody heard what became of the call: ask the provider; call again only where it certainly had no effect and may be
 * repeated, or where the provider itself holds to one effect a key; otherwise a person resolves it.
 */
async function settleDoubt(
  task: Task, bodies: Bodies, { error, tries }: { error: ProviderFailure; tries: number }, work: Work, parts: ExecutorParts,
): Promise<Settled> {
  const { operation } = task.item;
  const mayTry = tries < MAX_TRIES && error.retryable;
  if (operation.reconcilable) {
    const answer = await reconcileItem(task, bodies.input, work, parts);
    if (answer.found === 'applied') return { next: 'end', judged: judgeReconciled(bodies, answer.result) };
    if (answer.found === 'not_applied') {
      return mayTry && operation.idempotent ? { next: 'retry' } : { next: 'end', judged: { outcome: task.doubt ? 'indeterminate' : 'failed', error } };
    }
  }
  if (work.signal.aborted) throw leaseOver();
  return operation.enforcesKey && mayTry ? { next: 'retry_in_doubt' } : { next: 'end', judged: { outcome: 'indeterminate', error } };
}
