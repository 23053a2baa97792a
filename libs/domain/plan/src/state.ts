import type {
  ApplyAttempt, ApplyOutcome, ApplyStarted, Closed, CloseReason, Decision, ItemAnswer, ItemId, ItemOutcome, ItemVerdict,
  OperationSnapshot, PlanEvent, PreviewResult, Proposed, ProposedItem,
} from '@countersign/contracts';
import type { Fold } from '@countersign/kernel';

/** One item, as the facts say it. What follows from them (decision, outcome) is in `item.ts`, never stored. */
export interface ItemState {
  readonly itemId: ItemId;
  readonly proposed: ProposedItem;
  readonly operation: OperationSnapshot;
  readonly preview?: PreviewResult;
  /** The newest one. */
  readonly verdict?: ItemVerdict;
  /** Of `verdict`; 0 while there is none. */
  readonly round: number;
  readonly answer?: ItemAnswer;
  readonly expiredAt?: string;
  /** Set when the plan was closed while this item was pending or asked. */
  readonly closed?: CloseReason;
  readonly attempts: readonly (ApplyAttempt & { readonly lease: ApplyStarted['lease']; readonly startedAt: string })[];
  readonly outcome?: ItemOutcome;
}

export interface PlanState {
  /** Absent: nothing was proposed under this id. */
  readonly proposed?: Proposed;
  /** In plan order. */
  readonly items: ReadonlyMap<ItemId, ItemState>;
  readonly closed?: Closed;
  /** Highest fence given out. */
  readonly fence: number;
}

export const initialPlan: PlanState = { items: new Map(), fence: 0 };

export const planFold: Fold<PlanState, PlanEvent> = { initial: initialPlan, evolve };

/** Total: what does not fit (an unknown item, a second proposal) changes nothing. */
export function evolve(state: PlanState, event: PlanEvent): PlanState {
  switch (event.type) {
    case 'plan.Proposed':
      return state.proposed ? state : opened(event.data);
    case 'plan.Previewed':
      return changeItems(state, event.data.items, (item, preview) => (item.verdict ? item : { ...item, preview }));
    case 'plan.Evaluated':
      return changeItems(state, event.data.items, (item, verdict) => (isResolved(item) ? item : { ...item, verdict, round: event.data.round }));
    case 'plan.ItemsAnswered':
      return changeItems(state, event.data.answers, (item, answer) => (isAsked(item) ? { ...item, answer } : item));
    case 'plan.ItemsExpired':
      return changeItems(state, event.data.items.map((itemId) => ({ itemId })), (item) => (isAsked(item) ? { ...item, expiredAt: event.data.at } : item));
    case 'plan.ApplyStarted':
      return started(state, event.data);
    case 'plan.Outcomes':
      return changeItems(state, event.data.outcomes, (item, outcome) => (maySettle(item, outcome) ? { ...item, outcome } : item));
    case 'plan.Closed':
      return state.closed ? state : closedPlan(state, event.data);
    default:
      return state;
  }
}

function opened(proposed: Proposed): PlanState {
  const items = new Map<ItemId, ItemState>();
  for (const item of proposed.items) {
    const operation = proposed.operations[item.operation];
    if (operation) items.set(item.itemId, { itemId: item.itemId, proposed: item, operation, round: 0, attempts: [] });
  }
  return { proposed, items, fence: 0 };
}

function started(state: PlanState, data: ApplyStarted): PlanState {
  const next = changeItems(state, data.attempts, (item, attempt) => ({
    ...item,
    attempts: [...item.attempts, { ...attempt, lease: data.lease, startedAt: data.startedAt }],
  }));
  return { ...next, fence: data.attempts.reduce((highest, attempt) => Math.max(highest, attempt.fence), state.fence) };
}

function closedPlan(state: PlanState, closed: Closed): PlanState {
  const undecided = [...state.items.values()].filter((item) => !isResolved(item));
  return { ...changeItems(state, undecided, (item) => ({ ...item, closed: closed.reason })), closed };
}

function changeItems<Fact extends { readonly itemId: ItemId }>(
  state: PlanState, facts: readonly Fact[], change: (item: ItemState, fact: Fact) => ItemState,
): PlanState {
  const items = new Map(state.items);
  for (const fact of facts) {
    const item = items.get(fact.itemId);
    if (item) items.set(fact.itemId, change(item, fact));
  }
  return { ...state, items };
}

/** An indeterminate outcome may still be settled by its own late answer or a later attempt's; a settled one never changes. */
function maySettle(item: ItemState, outcome: ItemOutcome): boolean {
  if (!item.outcome) return true;
  return item.outcome.outcome === 'indeterminate' && outcome.attempt >= item.outcome.attempt;
}

/** What the gate holds of an item now, and who said so (`SEMANTICS` § 2, `decided_by`). */
export interface ItemDecision {
  readonly decision: Decision;
  readonly decidedBy?: string;
  readonly downgraded?: true;
  readonly message?: string;
}

const CLOSED_BY: Readonly<Record<CloseReason, string>> = {
  policy_unavailable: 'policy:unavailable',
  cancelled: 'cancelled',
  session_ended: 'session:ended',
};

export function decisionOf(item: ItemState): ItemDecision {
  if (item.answer) {
    return {
      decision: item.answer.decision === 'approve' ? 'allow' : 'deny',
      decidedBy: `person:${item.answer.principal}`,
      ...(item.answer.reason === undefined ? {} : { message: item.answer.reason }),
    };
  }
  if (item.expiredAt) return { decision: 'deny', decidedBy: 'expired' };
  if (item.closed) return { decision: 'deny', decidedBy: CLOSED_BY[item.closed] };
  if (!item.verdict) return { decision: 'pending' };
  const { decision, decidedBy, downgraded, message } = item.verdict;
  return { decision, decidedBy, ...(downgraded ? { downgraded } : {}), ...(message === undefined ? {} : { message }) };
}

export const isAsked = (item: ItemState): boolean => decisionOf(item).decision === 'ask';
export const isPending = (item: ItemState): boolean => decisionOf(item).decision === 'pending';
/** Allowed or denied for good. */
export const isResolved = (item: ItemState): boolean => !isPending(item) && !isAsked(item);
export const isAllowed = (item: ItemState): boolean => decisionOf(item).decision === 'allow';

/** Undefined while the item has not come to its end. A denied item's outcome is what the fold says; no event writes it. */
export function outcomeOf(item: ItemState): ApplyOutcome | undefined {
  if (item.outcome) return item.outcome.outcome;
  return decisionOf(item).decision === 'deny' ? 'denied' : undefined;
}

/** Every item has come to its end, and there is a plan at all. */
export const isSettled = (plan: PlanState): boolean =>
  plan.proposed !== undefined && [...plan.items.values()].every((item) => outcomeOf(item) !== undefined);
