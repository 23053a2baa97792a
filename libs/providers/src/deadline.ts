export interface Deadline {
  /** Aborts with a `TimeoutError` at the deadline, or with its parent's reason when the parent aborts. */
  readonly signal: AbortSignal;
  /** Milliseconds until the deadline; 0 when it is over. */
  leftMs(): number;
  /** Must be called when the work is done: it frees the timer and leaves the parent. */
  end(): void;
}

/** Longest delay of a timer. */
const LONGEST_MS = 2 ** 31 - 1;

/**
 * Not `AbortSignal.any` over `AbortSignal.timeout`: on Node 20 such a composite can be collected while it is waited for,
 * and then never fires; and its timer does not keep the process alive while a call runs.
 */
export function deadlineIn(ms: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const wait = Math.min(Math.max(0, ms), LONGEST_MS);
  const at = performance.now() + wait;
  const timer = setTimeout(() => controller.abort(new DOMException('The deadline is over', 'TimeoutError')), wait);
  const follow = (): void => controller.abort(parent!.reason);
  if (parent?.aborted) follow();
  else parent?.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    leftMs: () => Math.max(0, at - performance.now()),
    end: () => {
      clearTimeout(timer);
      parent?.removeEventListener('abort', follow);
    },
  };
}
