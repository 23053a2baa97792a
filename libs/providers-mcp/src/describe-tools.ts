import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS, type JsonObject, type ToolSchema } from '@countersign/contracts';

/** What an adapter lays over a server's own words. */
export interface Overlay {
  readonly previewable: boolean;
  readonly reconcilable: boolean;
}

/**
 * An MCP tool as an operation of the gate. MCP's annotations are hints of an untrusted server, and its defaults are the
 * cautious ones: not read-only, destructive, not idempotent. A server that lies about `readOnlyHint` is the operator's
 * risk; policy can still deny or ask by provider and name.
 */
export function toolSchemaOf(tool: Tool, overlay: Overlay): ToolSchema {
  const hints = tool.annotations ?? {};
  const shared = {
    name: tool.name,
    category: 'tool',
    description: clip(tool.description ?? tool.title ?? tool.name),
    inputSchema: tool.inputSchema as JsonObject,
    ...(tool.outputSchema ? { outputSchema: tool.outputSchema as JsonObject } : {}),
  } as const;
  if (hints.readOnlyHint === true) return { ...shared, kind: 'data_source', risk: 'read_only', concurrency: { safe: true }, idempotent: true };
  return {
    ...shared,
    kind: 'resource',
    risk: hints.destructiveHint === false ? 'moderate' : 'high',
    concurrency: { safe: false },
    idempotent: hints.idempotentHint === true,
    previewable: overlay.previewable,
    reconcilable: overlay.reconcilable,
    enforcesKey: false,
  };
}

const clip = (text: string): string =>
  (text.length <= LIMITS.descriptionChars ? text : `${text.slice(0, LIMITS.descriptionChars - 1)}…`).toWellFormed();
