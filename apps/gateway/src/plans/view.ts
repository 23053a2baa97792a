import type { RenderTree } from '@countersign/contracts';
import type { PlanItemView, PlanView, ToolResultView } from '@countersign/contracts/http';
import { currentInputOf, decisionOf, expiryOf, isAsked, isSettled, openAttemptOf, outcomeOf, previewOf, toolResultOf, type ItemState, type PlanState } from '@countersign/domain-plan';
import type { Caller } from '../auth/caller.js';
import { answersGiven, inputBodyOf, verdictDetails } from './answers-view.js';
import { bodyOf, type Bodies, type Body } from './bodies.js';
import { mayNotApprove } from './may-answer.js';
import { offersOf } from './offers.js';
import { resultText } from './tool-result-text.js';

/**
 * The plan as it is shown: a pure function of its facts up to `sequence` and of the bodies they name. Members come in
 * one order and absent ones are left out, so that the same facts give the same bytes.
 * @param viewer of a view of now: how an asked item can be answered, and whether by this key. Never of a view of the past
 */
export function planView({ planId, sessionId, plan, sequence, bodies, viewer }: Shown & { readonly planId: string; readonly sessionId: string; readonly sequence: number }): PlanView {
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
    items: [...plan.items.values()].map((item) => itemView(item, { plan, bodies, viewer })),
  };
}

/** What a view is made of besides the item. */
export interface Shown {
  readonly plan: PlanState;
  readonly bodies: Bodies;
  readonly viewer?: Caller | undefined;
}

export function itemView(item: ItemState, { plan, bodies, viewer }: Shown): PlanItemView {
  return {
    ...snapshotOf(item), ...inputOf(item, bodies), ...verdictOf(item), ...previewShown(item, bodies), ...answersGiven(item, bodies),
    ...(viewer && isAsked(item) ? answerable(plan, item, bodies, viewer) : {}), ...endOf(item, bodies),
  };
}

function answerable(plan: PlanState, item: ItemState, bodies: Bodies, viewer: Caller): Pick<PlanItemView, 'offers' | 'mayAnswer' | 'mayNotAnswerBecause'> {
  const because = mayNotApprove(plan, item, viewer);
  return {
    offers: offersOf(plan, item, inputOf(item, bodies).input), mayAnswer: because === undefined,
    ...(because === undefined ? {} : { mayNotAnswerBecause: because }),
  };
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
  return inputBodyOf(currentInputOf(item).digest, bodies);
}

function verdictOf(item: ItemState): Pick<PlanItemView, 'decision' | 'decidedBy' | 'downgraded' | 'message' | 'itemDigest' | 'expiresAt' | 'terms' | 'layers' | 'shadow'> {
  const itemDigest = item.verdict?.itemDigest;
  const expiresAt = expiryOf(item);
  return { ...decisionOf(item), ...(itemDigest === undefined ? {} : { itemDigest }), ...(expiresAt === undefined ? {} : { expiresAt }), ...verdictDetails(item) };
}

function previewShown(item: ItemState, bodies: Bodies): Pick<PlanItemView, 'preview' | 'previewAbsent'> {
  const preview = previewOf(item);
  if (!preview) return {};
  if ('absent' in preview) return { previewAbsent: preview.absent };
  const body = bodyOf(bodies, preview.tree.digest);
  return 'value' in body ? { preview: body.value as unknown as RenderTree } : { previewAbsent: body.absent };
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
  if (text === undefined) return undefined;
  return { isError: told.isError, text: told.note === undefined ? text : `${told.note}\n\n${text}`, ...(category === undefined ? {} : { category }) };
}

const textOf = (body: Body | undefined): string | undefined => (body && 'value' in body ? resultText(body.value) : undefined);
