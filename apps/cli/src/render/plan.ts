import type { PlanItemView, PlanView } from '@countersign/contracts/http';
import { renderTree } from './render-tree.js';
import { bold, dim, green, indent, moment, oneLine, red, visible, yellow } from './terminal.js';

/** A plan as its approver sees it: arguments, preview, verdict, answer and outcome of each item, in plan order. */
export function renderPlan(plan: PlanView): string {
  const head = [
    bold(`Plan ${plan.planId}`) + `  ${plan.status}`,
    dim(`session ${plan.sessionId}, turn ${visible(plan.turnId)}, proposed by ${visible(plan.requester)} at ${moment(plan.proposedAt)}, log position ${plan.sequence}`),
    ...(plan.closed ? [yellow(`closed: ${plan.closed.reason} by ${visible(plan.closed.by)} at ${moment(plan.closed.at)}`)] : []),
  ];
  return [...head, ...plan.items.map((item) => `\n${renderItem(item)}`)].join('\n');
}

export function renderItem(item: PlanItemView): string {
  return [
    `${bold(item.itemId)}  ${visible(item.provider)}/${visible(item.operation)}  ${dim(`${item.kind}, risk ${item.risk}, call ${visible(item.callId)}`)}`,
    indent(renderEffect(item)),
    indent(`decision  ${renderDecision(item)}`),
    ...(item.outcome ? [indent(`outcome   ${renderOutcome(item)}`)] : []),
    ...(item.toolResult ? [indent(`the agent is told: ${item.toolResult.isError ? '(error) ' : ''}${oneLine(item.toolResult.text, 400)}`)] : []),
  ].join('\n');
}

/** The preview where there is one, else the raw input: what would happen is never left unsaid. */
export function renderEffect(item: PlanItemView): string {
  if (item.preview) return renderTree(item.preview);
  const why = item.previewAbsent ? dim(` (no preview: ${item.previewAbsent})`) : '';
  const input = item.input === undefined ? `not in this view: ${item.inputAbsent ?? 'unknown'}, digest ${item.inputDigest}` : visible(JSON.stringify(item.input, null, 2));
  return `input ${input}${why}`;
}

const DECISION_PAINT = { allow: green, deny: red, ask: yellow, pending: dim } as const;

function renderDecision(item: PlanItemView): string {
  const by = item.decidedBy ? `  by ${visible(item.decidedBy)}` : '';
  const downgraded = item.downgraded ? '  (an ask that became a deny: nobody can be asked about a read)' : '';
  const message = item.message ? `  "${oneLine(item.message)}"` : '';
  const until = item.decision === 'ask' && item.expiresAt ? `  until ${moment(item.expiresAt)}` : '';
  return DECISION_PAINT[item.decision](item.decision) + by + downgraded + message + until;
}

function renderOutcome(item: PlanItemView): string {
  const paint = item.outcome === 'applied' ? green : item.outcome === 'indeterminate' ? yellow : red;
  const error = item.error ? `  ${item.error.category}: ${oneLine(item.error.message, 200)}` : '';
  return paint(item.outcome ?? '') + error + (item.endedAt ? dim(`  ${item.endedAt}`) : '');
}
