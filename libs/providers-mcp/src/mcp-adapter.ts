import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { JsonObject, ProviderErrorCategory } from '@countersign/contracts';
import type { ApplyAnswer, ApplyCall, FailedAnswer, PreviewAnswer, ProviderCall, ReconcileAnswer } from '@countersign/providers';
import type { Overlay } from './describe-tools.js';

/** Calls one tool of the server; answers, never throws. `structured`: the tool has an output schema. */
export type ToolCaller = (tool: string, input: JsonObject, structured: boolean) => Promise<ApplyAnswer>;

/** What MCP does not have, laid over a server whose tools are known: previews, drift, reconciliation. */
export interface McpAdapter {
  overlay(tool: Tool, all: readonly Tool[]): Overlay;
  categoryOf(errorText: string): ProviderErrorCategory;
  preview(call: ProviderCall, caller: ToolCaller): Promise<PreviewAnswer>;
  /** Why the call must not be made: its target has changed since the approved preview. */
  refusal(call: ApplyCall, caller: ToolCaller): Promise<FailedAnswer | undefined>;
  reconcile(call: ApplyCall, caller: ToolCaller): Promise<ReconcileAnswer>;
}

/** For a server of which nothing more is known than what it says. */
export const plainAdapter: McpAdapter = {
  overlay: () => ({ previewable: false, reconcilable: false }),
  categoryOf: () => 'execution_failed',
  preview: async () => ({ absent: 'unsupported' }),
  refusal: async () => undefined,
  reconcile: async () => ({ found: 'unknown' }),
};
