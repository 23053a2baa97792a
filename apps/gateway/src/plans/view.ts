import type { JsonObject, RenderTree } from '@countersign/contracts';
import type { PlanItemView, PlanView, ToolResultView } from '@countersign/contracts/http';
import { decisionOf, isSettled, openAttemptOf, outcomeOf, previewOf, toolResultOf, type ItemState, type PlanState } from '@countersign/domain-plan';
import type { Bodies, Body } from './bodies.js';
import { resultText } from './tool-result-text.js';

/**
 * The plan as it is shown: a pure function of its facts up to `sequence` and of the bodies they name. Members come in
 * one order and absent ones are left out, so that the same facts give the same bytes.
 */
export function planView(planId: string, sessionId: string, plan: PlanState, sequence: number, bodies: Bodies): PlanView {
  const proposed = plan.proposed!;
  return {
    planId,
    sessionId,
    turnId: proposed.turnId,
    requester: proposed.requester,
    proposedAt: proposed.proposedAt,
    status: isSettled(plan) ? 'settled' : 'open',
    sequence,
    ...(plan.closed ? { closed: { reason: plan.closed.reason, by: plan.closed.by, at: plan.closed.at } } : {}),
    items: [...plan.items.values()].map((item) => itemView(item, bodies)),
  };
}

export function itemView(item: ItemState, bodies: Bodies): PlanItemView {
  return { ...snapshotOf(item), ...inputOf(item, bodies), ...verdictOf(item), ...previewShown(item, bodies), ...answerOf(item), ...endOf(item, bodies) };
}

function snapshotOf(item: ItemState): Pick<PlanItemView, 'itemId' | 'callId' | 'provider' | 'operation' | 'category' | 'kind' | 'risk' | 'description'> {
  const { operation, proposed } = item;
  return {
    itemId: item.itemId,
    callId: proposed.callId,
    provider: operation.provider,
    operation: operation.name,
    category: operation.category,
    kind: operation.kind,
    risk: operation.risk,
    description: operation.description,
  };
}

function inputOf(item: ItemState, bodies: Bodies): Pick<PlanItemView, 'input' | 'inputAbsent' | 'inputDigest'> {
  const { digest } = item.proposed.input;
  const body = bodyOf(bodies, digest);
  return 'value' in body ? { input: body.value as JsonObject, inputDigest: digest } : { inputAbsent: body.absent, inputDigest: digest };
}

function verdictOf(item: ItemState): Pick<PlanItemView, 'decision' | 'decidedBy' | 'downgraded' | 'message' | 'itemDigest' | 'expiresAt'> {
  const itemDigest = item.verdict?.itemDigest;
  const expiresAt = item.verdict?.expiresAt;
  return { ...decisionOf(item), ...(itemDigest === undefined ? {} : { itemDigest }), ...(expiresAt === undefined ? {} : { expiresAt }) };
}

function previewShown(item: ItemState, bodies: Bodies): Pick<PlanItemView, 'preview' | 'previewAbsent'> {
  const preview = previewOf(item);
  if (!preview) return {};
  if ('absent' in preview) return { previewAbsent: preview.absent };
  const body = bodyOf(bodies, preview.tree.digest);
  return 'value' in body ? { preview: body.value as unknown as RenderTree } : { previewAbsent: body.absent };
}

function answerOf(item: ItemState): Pick<PlanItemView, 'answer'> {
  if (!item.answer) return {};
  const { decision, principal, reason, answeredAt } = item.answer;
  return { answer: { decision, principal, ...(reason === undefined ? {} : { reason }), at: answeredAt } };
}

function endOf(item: ItemState, bodies: Bodies): Pick<PlanItemView, 'outcome' | 'result' | 'resultAbsent' | 'resultDigest' | 'error' | 'toolResult' | 'startedAt' | 'endedAt'> {
  const outcome = outcomeOf(item);
  const toolResult = toolResultShown(item, bodies);
  const error = item.outcome?.error;
  const startedAt = item.outcome?.startedAt ?? openAttemptOf(item)?.startedAt;
  return {
    ...(outcome === undefined ? {} : { outcome }),
    ...resultOf(item, bodies),
    ...(error === undefined ? {} : { error: { category: error.category, message: error.message, retryable: error.retryable } }),
    ...(toolResult === undefined ? {} : { toolResult }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(item.outcome === undefined ? {} : { endedAt: item.outcome.endedAt }),
  };
}

function resultOf(item: ItemState, bodies: Bodies): Pick<PlanItemView, 'result' | 'resultAbsent' | 'resultDigest'> {
  const sealed = item.outcome?.result;
  if (!sealed) return {};
  const body = bodyOf(bodies, sealed.digest);
  return 'value' in body ? { result: body.value, resultDigest: sealed.digest } : { resultAbsent: body.absent, resultDigest: sealed.digest };
}

/** Absent for an applied item whose result is not in the view: `resultAbsent` says why. */
function toolResultShown(item: ItemState, bodies: Bodies): ToolResultView | undefined {
  const told = toolResultOf(item);
  if (!told) return undefined;
  const category = told.error?.category;
  const text = told.text ?? textOf(told.result ? bodyOf(bodies, told.result.digest) : undefined);
  return text === undefined ? undefined : { isError: told.isError, text, ...(category === undefined ? {} : { category }) };
}

const textOf = (body: Body | undefined): string | undefined => (body && 'value' in body ? resultText(body.value) : undefined);

/** Everything the state names has been collected; a body that has not is a fault of ours, and is never shown as empty. */
function bodyOf(bodies: Bodies, digest: string): Body {
  const body = bodies.get(digest);
  if (!body) throw new Error(`the body ${digest} was not collected`);
  return body;
}
