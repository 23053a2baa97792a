import { ErrorCode, McpError, type CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Json, ProviderErrorCategory } from '@countersign/contracts';
import { failed, failureOfAbort, refused, type ApplyAnswer, type FailedAnswer } from '@countersign/providers';
import type { Ending } from './stdio-process.js';

/**
 * The result that the gate keeps: the structured one where the operation has an output schema (that is what the schema
 * describes), else the content blocks.
 * @param structured whether the operation declares an output schema
 * @param categoryOf what an error text of this server means
 */
export function answerOf(result: CallToolResult, structured: boolean, categoryOf: (text: string) => ProviderErrorCategory): ApplyAnswer {
  if (result.isError) {
    const text = textOf(result) || 'The operation failed without saying why';
    return failed(text.startsWith(`MCP error ${ErrorCode.InvalidParams}`) ? 'invalid_arguments' : categoryOf(text), text);
  }
  if (!structured) return { ok: true, result: { content: result.content as unknown as Json } };
  if (!result.structuredContent) return failed('unknown', 'The server answered without the structured result that its schema promises; the call may have taken effect');
  return { ok: true, result: result.structuredContent as Json };
}

export const textOf = (result: CallToolResult): string =>
  result.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');

/** What a failed request means. @param ending of the process it was sent to, when that has gone */
export function answerOfError(error: unknown, signal: AbortSignal, ending: Ending | undefined): FailedAnswer {
  if (signal.aborted) return failureOfAbort(signal);
  if (ending) return OF_ENDING[ending];
  if (!(error instanceof McpError)) return failed('unknown', 'The server’s answer does not have the shape that MCP says');
  switch (error.code) {
    case ErrorCode.InvalidParams:
    case ErrorCode.InvalidRequest:
      return refused('invalid_arguments', error.message);
    case ErrorCode.MethodNotFound:
      return refused('not_found', error.message);
    default:
      return failed('execution_failed', error.message);
  }
}

const OF_ENDING: Readonly<Record<Ending, FailedAnswer>> = {
  closed: failed('process_crashed', 'The server’s process was ended while it worked on the call'),
  crashed: failed('process_crashed', 'The server’s process ended while it worked on the call'),
  garbage: failed('unknown', 'The server wrote something on its output that is not MCP; its process was ended'),
  line_too_long: failed('unknown', 'The server’s answer is above the limit; its process was ended, and the call may have taken effect'),
};
