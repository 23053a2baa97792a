import type { Json, ProviderErrorCategory, Sealed } from '@countersign/contracts';
import { decisionOf, outcomeOf, type ItemState } from './item.js';
import { changeOf, deniedBy, quoted } from './tool-words.js';

/** What the model is told of one call. The host turns it into a `tool_result` block of its own protocol. */
export interface ToolResult {
  readonly callId: string;
  readonly isError: boolean;
  /** Absent for an applied item: its text is `result`, unsealed. */
  readonly text?: string;
  readonly result?: Sealed<Json>;
  /** With `result`, said before it: a person changed the call. In `text` it stands already. */
  readonly note?: string;
  readonly error?: { readonly category: ProviderErrorCategory; readonly retryable: boolean };
  readonly decidedBy?: string;
}

/** Undefined while the item has not come to its end. The outcomes of a plan come back in plan order, one for each item. */
export function toolResultOf(item: ItemState): ToolResult | undefined {
  switch (outcomeOf(item)) {
    case 'applied':
      return appliedResult(item);
    case 'failed':
      return failedResult(item);
    case 'denied':
      return denialResult(item);
    case 'skipped':
      return undoneResult(item, `${nameOf(item)} was skipped and did not run`, 'cancelled');
    case 'indeterminate':
      return undoneResult(item, `${nameOf(item)} was started, and it is not known whether it took effect; it is not run again on a guess`, 'unknown');
    default:
      return undefined;
  }
}

/**
 * One neutral sentence with the operation, who decided, and the person's or rule's own words in quotation marks. It does
 * not invite another attempt and never says that anything was approved.
 */
export function denialResult(item: ItemState): ToolResult {
  const { decidedBy, message, downgraded } = decisionOf(item);
  const how = downgraded ? ' (it would need a person, whom calls of this kind cannot ask)' : '';
  const words = message === undefined ? '' : `: ${quoted(message)}`;
  return {
    callId: item.proposed.callId,
    isError: true,
    text: withChange(item, `${nameOf(item)} was denied ${deniedBy(decidedBy)}${how} and did not run${words}`),
    error: { category: 'permission_denied', retryable: false },
    ...(decidedBy === undefined ? {} : { decidedBy }),
  };
}

function appliedResult(item: ItemState): ToolResult {
  const { decidedBy } = decisionOf(item);
  const change = changeOf(item);
  const given = item.outcome?.result === undefined
    ? { text: withChange(item, `${nameOf(item)} ran and returned nothing`) }
    : { result: item.outcome.result, ...(change === undefined ? {} : { note: `${change}. What follows is the result of the changed call.` }) };
  return { callId: item.proposed.callId, isError: false, ...given, ...(decidedBy === undefined ? {} : { decidedBy }) };
}

function failedResult(item: ItemState): ToolResult {
  const { decidedBy } = decisionOf(item);
  const error = item.outcome?.error ?? { category: 'unknown' as const, message: 'the provider gave no reason', retryable: false };
  const approved = item.answer?.decision === 'approve' ? `, approved by ${decidedBy},` : '';
  return {
    callId: item.proposed.callId,
    isError: true,
    text: withChange(item, `${nameOf(item)}${approved} failed (${error.category}): ${error.message}`),
    error: { category: error.category, retryable: error.retryable },
    ...(decidedBy === undefined ? {} : { decidedBy }),
  };
}

/** A sentence of its own, so that the first one stays what it is where nobody changed anything. */
function withChange(item: ItemState, sentence: string): string {
  const change = changeOf(item);
  return change === undefined ? sentence : `${sentence}. ${change}`;
}

function undoneResult(item: ItemState, text: string, category: ProviderErrorCategory): ToolResult {
  const { decidedBy } = decisionOf(item);
  const error = item.outcome?.error;
  return {
    callId: item.proposed.callId,
    isError: true,
    text: withChange(item, error === undefined ? text : `${text} (${error.message})`),
    error: { category: error?.category ?? category, retryable: false },
    ...(decidedBy === undefined ? {} : { decidedBy }),
  };
}

const nameOf = (item: ItemState): string => `${item.operation.name} of ${item.operation.provider}`;
