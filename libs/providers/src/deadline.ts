export interface Deadline {
  /** Aborts with a `TimeoutError` at the deadline, or with its parent's reason when the parent aborts. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline, or all of them where its time does not run yet; 0 when it is over. */
  leftMs(): number;
  /** Must be called when the work is done: it frees the timer and leaves the parent. */
  end(): void;
}

/** Longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/** A deadline whose time does not run yet. */
export interface WaitingDeadline extends Deadline {
  /** From now on. Once. */
  begin(): void;
}

/** At once. */
export function deadlineIn(ms: number, parent?: AbortSignal): Deadline {
  const deadline = waitingDeadline(ms, parent);
  deadline.begin();
  return deadline;
}

/**
 * Not `AbortSignal.any` over `AbortSignal.timeout`: on Node 20 such a composite can be collected while it is waited for,
 * and then never fires; and its timer does not keep the process alive while a call runs.
 */
export function waitingDeadline(ms: number, parent?: AbortSignal): WaitingDeadline {
  const controller = new AbortController();
  const wait = Math.min(Math.max(0, ms), LONGEST_MS);
  let at: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  const follow = (): void => controller.abort(parent!.reason);
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    begin: () => {
      at = performance.now() + wait;
      timer = setTimeout(() => controller.abort(new DOMException('The deadline is over', 'TimeoutError')), wait);
    },
    leftMs: () => (at === undefined ? wait : Math.max(0, at - performance.now())),
    end: () => {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    },
  };
}
