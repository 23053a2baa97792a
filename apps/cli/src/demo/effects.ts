import type { PlanItemView, PlanView } from '@countersign/contracts/http';

export interface DiskState { readonly notes: string | undefined; readonly summary: string | undefined }

export interface Turn {
  readonly plan: PlanView;
  readonly before: DiskState;
  readonly after: DiskState;
}

/** What the disk says beside what the plan says, a line each. */
export interface Effects { readonly lines: readonly string[] }

/** @throws Error when an applied write is not on the disk, or a write that was not applied is */
export function checkEffects(turns: readonly Turn[]): Effects {
  const lines = turns.flatMap((turn) => turn.plan.items
    .filter((item) => item.operation === 'write_file')
    .map((item) => checkWrite(turn, item)));
  return { lines };
}

function checkWrite(turn: Turn, item: PlanItemView): string {
  const input = item.input as { path: string; content: string };
  const file = input.path.endsWith('summary.md') ? 'summary' : 'notes';
  const wanted = item.outcome === 'applied' ? input.content : turn.before[file];
  if (turn.after[file] !== wanted) {
    throw new Error(`the disk differs from outcome "${item.outcome}" of item ${item.itemId} (${item.callId}) in plan ${turn.plan.planId}`);
  }
  return item.outcome === 'applied'
    ? `checked on disk: ${item.callId} has changed its file, and only as the preview showed`
    : `checked on disk: ${item.callId} (${item.outcome}) has not touched its file`;
}
