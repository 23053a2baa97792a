import type { PlanItemView, PlanView } from '@countersign/contracts/http';
import { fitted } from './fit.js';
import { renderTree } from './render-tree.js';
import { bold, dim, green, gutter, indent, moment, oneLine, red, visible, yellow } from './terminal.js';

/** A plan as its approver sees it: arguments, preview, verdict, answer and outcome of each item, in plan order. */
export function renderPlan(plan: PlanView): string {
  const head = [
    bold(`Plan ${plan.planId}`) + `  ${plan.status}`,
    dim(`session ${plan.sessionId}, turn ${name(plan.turnId)}, proposed by ${name(plan.requester)} at ${moment(plan.proposedAt)}, log position ${plan.sequence}`),
    ...(plan.closed ? [yellow(`closed: ${plan.closed.reason} by ${name(plan.closed.by)} at ${moment(plan.closed.at)}`)] : []),
  ];
  return [fitted(head.join('\n')), ...plan.items.map((item) => `\n${renderItem(item)}`)].join('\n');
}

export function renderItem(item: PlanItemView): string {
  return fitted([
    `${bold(item.itemId)}  ${name(item.provider)}/${name(item.operation)}  ${dim(`${item.kind}, risk ${item.risk}, call ${name(item.callId)}`)}`,
    indent(renderEffect(item)),
    ...changesOf(item).map((line) => indent(line)),
    indent(`decision  ${renderDecision(item)}`),
    ...termsOf(item).map((line) => indent(line)),
    ...(item.outcome ? [indent(`outcome   ${renderOutcome(item)}`)] : []),
    ...(item.toolResult ? [indent(`the agent is told: ${item.toolResult.isError ? '(error) ' : ''}${oneLine(item.toolResult.text, 400)}`)] : []),
  ].join('\n'));
}

/** What others have named, whole and on one line; in quotes unless it can be taken for nothing but a name. */
const name = (text: string): string => (/^[\w.:@/+-]+$/.test(text) ? text : `"${oneLine(text.replace(/["\\]/g, '\\$&'), Infinity)}"`);

/** The preview where there is one, else the raw input, behind a gutter: what would happen is never left unsaid, and never ours to say. */
export function renderEffect(item: PlanItemView): string {
  if (item.preview) return `preview\n${gutter(renderTree(item.preview))}`;
  const why = item.previewAbsent ? dim(` (no preview: ${item.previewAbsent})`) : '';
  if (item.input === undefined) return `input not in this view: ${item.inputAbsent ?? 'unknown'}, digest ${item.inputDigest}${why}`;
  return `input${why}\n${gutter(visible(JSON.stringify(item.input, null, 2)))}`;
}

const DECISION_PAINT = { allow: green, deny: red, ask: yellow, pending: dim } as const;

function renderDecision(item: PlanItemView): string {
  const by = item.decidedBy ? `  by ${name(item.decidedBy)}` : '';
  const downgraded = item.downgraded ? '  (an ask that became a deny: nobody can be asked about a read)' : '';
  const message = item.message ? `  "${oneLine(item.message)}"` : '';
  const until = item.decision === 'ask' && item.expiresAt ? `  until ${moment(item.expiresAt)}` : '';
  return DECISION_PAINT[item.decision](item.decision) + by + downgraded + message + until;
}

/** That a person changed the arguments, and what they were. */
const changesOf = ({ corrections = [], original }: PlanItemView): string[] => (corrections.length === 0 ? [] : [
  ...corrections.map(({ principal, at, reason }) => yellow(`corrected by ${name(principal)} at ${moment(at)}${reason === undefined ? '' : `, "${oneLine(reason)}"`}`)),
  ...(original?.input === undefined ? [] : [`asked for was\n${gutter(visible(JSON.stringify(original.input, null, 2)))}`]),
]);

/** What an open ask demands of those who answer, and how far it has come. */
function termsOf({ decision, terms, votes = [] }: PlanItemView): string[] {
  if (decision !== 'ask' || !terms) return [];
  const demands = [
    ...(terms.roles ? [`one of ${terms.roles.map(name).join(', ')}`] : []), ...(terms.quorum > 1 ? [`${terms.quorum} people, ${votes.length} so far`] : []),
    ...(terms.notRequester ? ['not whoever asked or corrected'] : []), ...(terms.requireReason ? ['a reason'] : []), ...(terms.narrowOnly ? ['grants only with a condition'] : []),
  ];
  return demands.length === 0 ? [] : [`demands   ${demands.join('; ')}`];
}

function renderOutcome(item: PlanItemView): string {
  const paint = item.outcome === 'applied' ? green : item.outcome === 'indeterminate' ? yellow : red;
  const error = item.error ? `  ${item.error.category}: ${oneLine(item.error.message, 200)}` : '';
  return paint(item.outcome ?? '') + error + (item.endedAt ? dim(`  ${item.endedAt}`) : '');
}
