import { LIMITS, type ProviderErrorCategory, type ProviderFailure } from '@countersign/contracts';
import type { ApplyAnswer } from './provider.js';

export type FailedAnswer = Extract<ApplyAnswer, { ok: false }>;

/**
 * Whether the same call may succeed when it is sent again. It says nothing of whether it may be sent again:
 * the executor decides that from the kind of the operation and from doubt.
 */
const RETRYABLE: Readonly<Record<ProviderErrorCategory, boolean>> = {
  invalid_arguments: false,
  not_found: false,
  permission_denied: false,
  execution_failed: false,
  timeout: true,
  concurrency_conflict: true,
  cancelled: false,
  process_crashed: true,
  precondition_failed: false,
  unknown: false,
};

/** Nobody heard an answer of these, so the call may have taken effect. */
const DOUBTFUL: ReadonlySet<ProviderErrorCategory> = new Set(['timeout', 'cancelled', 'process_crashed', 'unknown']);

/** @param message shown to the model: no stack, no secret, no path of the host but those the caller named itself */
export function failure(category: ProviderErrorCategory, message: string, retryable: boolean = RETRYABLE[category]): ProviderFailure {
  return { category, message: safeText(message), retryable };
}

export const failed = (category: ProviderErrorCategory, message: string): FailedAnswer => ({ ok: false, error: failure(category, message) });
/** For a call that was never sent, or was refused before it began. */
export const refused = (category: ProviderErrorCategory, message: string): FailedAnswer => ({ ...failed(category, message), didNotHappen: true });

/** Whether a failed call may have taken effect all the same. */
export const leavesDoubt = (answer: FailedAnswer): boolean => !answer.didNotHappen && DOUBTFUL.has(answer.error.category);

/** What an aborted signal means: a deadline's `TimeoutError` is a timeout, anything else a cancellation. */
export function failureOfAbort(signal: AbortSignal): FailedAnswer {
  return isTimeout(signal)
    ? failed('timeout', 'The provider did not answer within its deadline')
    : failed('cancelled', 'The call was cancelled before the provider answered');
}

export const isTimeout = (signal: AbortSignal): boolean =>
  signal.aborted && (signal.reason as { name?: unknown } | undefined)?.name === 'TimeoutError';

/** A fault of an adapter. Its text stays in the service's log: it may name what no model should read. */
export const adapterFault = (): FailedAnswer => failed('unknown', 'The provider’s adapter failed; whether the call took effect is not known');

/** Bounded, well-formed, without control characters other than line breaks and tabs, and without stack lines. */
export function safeText(text: string): string {
  const lines = text.toWellFormed().split('\n').filter((line) => !/^\s+at .*[(:]/.test(line));
  const clean = lines.join('\n').replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').trim();
  return clean.length <= LIMITS.reasonChars ? clean : `${clean.slice(0, LIMITS.reasonChars - 1).toWellFormed()}…`;
}
