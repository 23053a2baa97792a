import { LIMITS, type Json, type RenderTree } from '@countersign/contracts';
import { canonicalJson } from '@countersign/kernel';
import { refused, failed, type FailedAnswer } from './failures.js';
import type { ApplyAnswer } from './provider.js';

/** Nesting of a JSON value; a scalar is 0. Stops counting at `limit + 1`, so that a hostile value costs little. */
export function depthOf(value: unknown, limit: number = LIMITS.jsonDepth): number {
  if (value === null || typeof value !== 'object') return 0;
  if (limit < 0) return 1;
  let deepest = 0;
  for (const member of Object.values(value)) {
    deepest = Math.max(deepest, depthOf(member, limit - 1));
    if (deepest > limit) break;
  }
  return deepest + 1;
}

/** Undefined when the input may be sent to a provider. */
export function inputOutOfBounds(input: unknown): FailedAnswer | undefined {
  if (depthOf(input) > LIMITS.jsonDepth) return refused('invalid_arguments', `The input is nested deeper than ${LIMITS.jsonDepth} levels`);
  const bytes = bytesOf(input);
  if (bytes === undefined) return refused('invalid_arguments', 'The input is not JSON');
  if (bytes > LIMITS.blobBytes) return refused('invalid_arguments', `The input of ${bytes} bytes is above the limit of ${LIMITS.blobBytes}`);
  return undefined;
}

/**
 * An answer whose result is not JSON, too deep or too large is a failure of category `unknown`: the provider did
 * answer, but the result cannot be kept. Such a call may have taken effect, and the message says so.
 */
export function boundAnswer(answer: ApplyAnswer): ApplyAnswer {
  if (!answer.ok) return answer;
  const problem = resultOutOfBounds(answer.result);
  return problem ? failed('unknown', `${problem}; the call may have taken effect`) : answer;
}

function resultOutOfBounds(result: Json): string | undefined {
  if (depthOf(result) > LIMITS.jsonDepth) return `The result is nested deeper than ${LIMITS.jsonDepth} levels`;
  const bytes = bytesOf(result);
  if (bytes === undefined) return 'The result is not JSON';
  return bytes > LIMITS.resultBytes ? `The result of ${bytes} bytes is above the limit of ${LIMITS.resultBytes}` : undefined;
}

/** Whether a preview may be stored: bounded in bytes and in nesting of its nodes. */
export function treeOutOfBounds(tree: RenderTree): 'too_large' | 'failed' | undefined {
  if (!Array.isArray(tree?.nodes)) return 'failed';
  if (depthOf(tree) > LIMITS.previewDepth * 2) return 'too_large'; // a group nests by two: the node and its list
  const bytes = bytesOf(tree);
  if (bytes === undefined) return 'failed';
  return bytes > LIMITS.previewBytes ? 'too_large' : undefined;
}

function bytesOf(value: unknown): number | undefined {
  try {
    return Buffer.byteLength(canonicalJson(value), 'utf8');
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) return undefined;
    throw error;
  }
}
