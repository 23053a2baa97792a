import { LIMITS } from '@countersign/contracts';
import { GateError, isGateError } from '@countersign/kernel';
import { boundAnswer, inputOutOfBounds, treeOutOfBounds } from './bounds.js';
import { adapterFault, failureOfAbort, isTimeout, type FailedAnswer } from './failures.js';
import type { Entry, Limiter } from './limiter.js';
import type { ApplyAnswer, ApplyCall, PreviewAnswer, Provider, ProviderCall, ReconcileAnswer } from './provider.js';

/** What an adapter may still do after its signal aborted: turn the abort into its own, better answer. */
const ABORT_GRACE_MS = 250;
/** A fingerprint stands in the start of its item, beside those of up to 500 others. */
const FINGERPRINT_CHARS = 200;

/**
 * Holds an adapter to the port's promises whatever its code does: an answer for every call, soon after the signal at
 * the latest; bounded inputs, results and trees; at most `providerConcurrency` calls at once.
 * @param onFault told of an adapter that threw, for the service's log
 */
export function guardedProvider(inner: Provider, limiter: Limiter, onFault: (error: unknown) => void): Provider {
  const enter = async <A>({ signal, onTurn }: Queued, neverSent: () => A, send: () => Promise<A>, late: () => A, fault: () => A): Promise<A> => {
    const entry = await limiter.enter(signal);
    if (entry === 'left') return neverSent();
    if (onTurn && !(await mayGoOn(onTurn, entry, limiter))) return neverSent();
    const work = send().catch((error: unknown) => {
      onFault(error);
      return fault();
    });
    void work.finally(() => limiter.leave());
    return await atTheLatest(work, signal, late);
  };
  return {
    async describe() {
      const signal = AbortSignal.timeout(LIMITS.describeTimeoutMs);
      const late = (): never => { throw new GateError('PROVIDER_UNREACHABLE', 'The provider did not describe itself in time'); };
      return await atTheLatest(inner.describe().catch(asUnreachable(onFault)), signal, late);
    },
    async preview(call: ProviderCall): Promise<PreviewAnswer> {
      if (inputOutOfBounds(call.input)) return { absent: 'failed' };
      const late = (): PreviewAnswer => ({ absent: isTimeout(call.signal) ? 'timeout' : 'failed' });
      const answer = await enter<PreviewAnswer>({ signal: call.signal }, late, () => inner.preview(call), late, () => ({ absent: 'failed' }));
      if ('absent' in answer) return answer;
      const problem = treeOutOfBounds(answer.tree);
      if (problem) return { absent: problem };
      return (answer.fingerprint?.length ?? 0) > FINGERPRINT_CHARS ? { absent: 'failed' } : answer;
    },
    async apply(call: ApplyCall): Promise<ApplyAnswer> {
      const problem = inputOutOfBounds(call.input);
      if (problem) return problem;
      const late = (): FailedAnswer => failureOfAbort(call.signal);
      const neverSent = (): FailedAnswer => ({ ...late(), didNotHappen: true });
      return boundAnswer(await enter<ApplyAnswer>(call, neverSent, () => inner.apply(call), late, adapterFault));
    },
    async reconcile(call: ApplyCall): Promise<ReconcileAnswer> {
      const unknown = (): ReconcileAnswer => ({ found: 'unknown' });
      const answer = await enter<ReconcileAnswer>(call, unknown, () => inner.reconcile(call), unknown, unknown);
      if (answer.found !== 'applied') return answer;
      return boundAnswer({ ok: true, result: answer.result }).ok ? answer : { found: 'applied', result: null };
    },
    close: async () => await inner.close(),
  };
}

type Queued = Pick<ApplyCall, 'signal' | 'onTurn'>;

/** The place in the line is given back whenever nothing is sent. @throws what `onTurn` threw: it is the caller's own */
async function mayGoOn(onTurn: NonNullable<Queued['onTurn']>, entry: Entry, limiter: Limiter): Promise<boolean> {
  let may = false;
  try {
    may = await onTurn(entry === 'waited');
  } finally {
    if (!may) limiter.leave();
  }
  return may;
}

async function atTheLatest<A>(work: Promise<A>, signal: AbortSignal, late: () => A): Promise<A> {
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const deadline = new Promise<'late'>((resolve) => {
    onAbort = (): void => { timer = setTimeout(() => resolve('late'), ABORT_GRACE_MS); };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  const first = await Promise.race([work.then((answer) => ({ answer })), deadline]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort!);
  });
  return first === 'late' ? late() : first.answer;
}

const asUnreachable = (onFault: (error: unknown) => void) => (error: unknown): never => {
  if (isGateError(error)) throw error;
  onFault(error);
  throw new GateError('PROVIDER_UNREACHABLE');
};
