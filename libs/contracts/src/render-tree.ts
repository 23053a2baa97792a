/**
 * What an approver is shown of an effect before it happens (`plan-apply-gate` § Preview flow). Stored verbatim.
 * A reader that does not know a node's `type` shows it generically and never drops it.
 */
export interface RenderTree {
  readonly nodes: readonly RenderNode[];
}

export type RenderNode =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'code_block'; readonly language?: string; readonly text: string }
  /** `unified` is a unified diff with three lines of context. */
  | { readonly type: 'diff'; readonly path: string; readonly unified: string }
  | { readonly type: 'table'; readonly columns: readonly string[]; readonly rows: readonly (readonly string[])[] }
  | { readonly type: 'link'; readonly label: string; readonly href: string }
  | { readonly type: 'list'; readonly items: readonly string[] }
  | { readonly type: 'group'; readonly title?: string; readonly nodes: readonly RenderNode[] }
  | { readonly type: 'collapsible'; readonly title: string; readonly nodes: readonly RenderNode[] }
  | { readonly type: 'action'; readonly label: string; readonly action: string };

export const PREVIEW_ABSENCES = ['unsupported', 'timeout', 'failed', 'too_large', 'fanout_unavailable', 'guardrail'] as const;
/** Why an item has no preview. Always recorded, never an error (`SEMANTICS` § 4). `guardrail`: one denies the item, so its arguments did not go to the provider. */
export type PreviewAbsence = (typeof PREVIEW_ABSENCES)[number];
