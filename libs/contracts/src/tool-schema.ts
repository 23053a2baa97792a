import type { JsonObject } from './json.js';

/** `resource` changes the world; `data_source` reads it; `interactive` asks a person. */
export const TOOL_KINDS = ['resource', 'data_source', 'interactive'] as const;
export type ToolKind = (typeof TOOL_KINDS)[number];

/** `read_only` is mandatory for data_source and interactive, forbidden for resource. */
export const RISK_CLASSES = ['read_only', 'low', 'moderate', 'high', 'critical'] as const;
export type RiskClass = (typeof RISK_CLASSES)[number];

export const CATEGORIES = ['tool', 'slashcommand'] as const;
/** Which producer built an item. It chooses the provider's entry point, never the policy path. */
export type Category = (typeof CATEGORIES)[number];

/** Absent or `safe: false`: one at a time per lock domain. `key_fields`: one at a time per (provider, operation, values). */
export interface ConcurrencySpec {
  readonly safe: boolean;
  readonly keyFields?: readonly string[];
}

/** What a provider says of one of its operations. Names are unique per provider over both categories. */
export interface ToolSchema {
  readonly name: string;
  readonly category: Category;
  readonly kind: ToolKind;
  readonly risk: RiskClass;
  readonly description: string;
  /** JSON Schema, draft 2020-12 or draft-07, of an object. */
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  /** Must not be declared for interactive operations. */
  readonly concurrency?: ConcurrencySpec;
  /** Default deadline of one call. */
  readonly timeoutMs?: number;
  readonly idempotent?: boolean;
  readonly previewable?: boolean;
  readonly reconcilable?: boolean;
  /** The provider refuses or repeats the answer for a second call with the same idempotency key. */
  readonly enforcesKey?: boolean;
  /** It edits the workspace's files: a session in mode `acceptEdits` is not asked about it. */
  readonly edit?: boolean;
  /** It may be called in plan mode although it is a resource. */
  readonly planSafe?: boolean;
}

/** How a provider is reached. Holds no secret: `env` names variables of the executor's own environment to pass on. */
export type ProviderEndpoint =
  | {
      readonly transport: 'mcp-stdio';
      readonly command: string;
      readonly args: readonly string[];
      /** Names of environment variables handed through; nothing else of the environment is. */
      readonly env?: readonly string[];
      /** Working directory of the server process. */
      readonly cwd?: string;
      /** Preview and reconcile adapter laid over the server; `files` knows read/write/edit tools with a `path`. */
      readonly adapter?: 'files';
    }
  /** Built-in, deterministic provider of tests and benchmarks; effects are counted in memory. */
  | { readonly transport: 'fake'; readonly behaviour?: string };
