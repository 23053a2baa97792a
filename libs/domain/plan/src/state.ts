import type { ApplyStarted, Closed, ItemCorrected, ItemId, ItemOutcome, ItemVerdict, ItemVote, PlanEvent, PreviewResult, Proposed } from '@countersign/contracts';
import type { Fold } from '@countersign/kernel';
import { isAsked, isCorrected, isPending, isResolved, outcomeOf, type ItemState } from './item.js';

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

/** Total: what does not fit (an unknown item, a second proposal, an answer to what is decided) changes nothing. */
export function evolve(state: PlanState, event: PlanEvent): PlanState {
  switch (event.type) {
    case 'plan.Proposed':
      return state.proposed ? state : opened(event.data);
    case 'plan.Previewed':
      return changeItems(state, event.data.items, previewed);
    case 'plan.Evaluated':
      return changeItems(state, event.data.items, (item, verdict) => judged(item, verdict, event.data));
    case 'plan.ItemsVoted':
      return changeItems(state, event.data.votes, voted);
    case 'plan.ItemCorrected':
      return changeItems(state, [event.data], corrected);
    case 'plan.ItemsAnswered':
      return changeItems(state, event.data.answers, (item, answer) => (isAsked(item) ? { ...item, answer } : item));
    case 'plan.ItemsExpired':
      return changeItems(state, event.data.items.map((itemId) => ({ itemId })), (item) => (mayExpire(item) ? { ...item, expiredAt: event.data.at } : item));
    case 'plan.ApplyStarted':
      return started(state, event.data);
    case 'plan.Outcomes':
      return changeItems(state, event.data.outcomes, (item, outcome) => (maySettle(item, outcome) ? { ...item, outcome } : item));
    case 'plan.Closed':
      return mayClose(state, event.data) ? closedPlan(state, event.data) : state;
    default:
      return state;
  }
}

function opened(proposed: Proposed): PlanState {
  const items = new Map<ItemId, ItemState>();
  for (const item of proposed.items) {
    const operation = proposed.operations[item.operation];
    if (operation) items.set(item.itemId, { itemId: item.itemId, proposed: item, operation, round: 0, corrections: [], earlier: [], votes: [], attempts: [] });
  }
  return { proposed, items, fence: 0 };
}

/** A late preview of arguments that a person has changed since is none of what they are now. */
const previewed = (item: ItemState, preview: PreviewResult): ItemState =>
  (item.verdict || isResolved(item) || !isOfCurrentInput(item, preview) ? item : { ...item, preview });

export const isOfCurrentInput = (item: ItemState, { correction = 0 }: PreviewResult): boolean => correction === item.corrections.length;

/** Votes count for what they named only. */
function judged(item: ItemState, verdict: ItemVerdict, { round, evaluatedAt }: { readonly round: number; readonly evaluatedAt: string }): ItemState {
  if (isResolved(item)) return item;
  return { ...item, verdict, round, judgedAt: evaluatedAt, votes: item.votes.filter((vote) => vote.itemDigest === verdict.itemDigest) };
}

function voted(item: ItemState, vote: ItemVote): ItemState {
  const counts = isAsked(item) && vote.itemDigest === item.verdict?.itemDigest && !item.votes.some(({ principal }) => principal === vote.principal);
  return counts ? { ...item, votes: [...item.votes, vote] } : item;
}

/** Pending again. What was seen and said of the arguments before is kept aside, and counts no more. */
function corrected(item: ItemState, correction: ItemCorrected): ItemState {
  if (!isAsked(item) || correction.correction !== item.corrections.length + 1) return item;
  const { verdict, preview, judgedAt, ...rest } = item;
  const seen = { verdict: verdict!, votes: item.votes, round: item.round, ...(preview ? { preview } : {}), ...(judgedAt === undefined ? {} : { judgedAt }) };
  return { ...rest, corrections: [...item.corrections, correction], earlier: [...item.earlier, seen], votes: [] };
}

/** What a person was asked about: it expires also while a correction of it waits for its verdict. */
export const mayExpire = (item: ItemState): boolean => isAsked(item) || (isCorrected(item) && isPending(item));

function started(state: PlanState, data: ApplyStarted): PlanState {
  const next = changeItems(state, data.attempts, (item, attempt) => ({
    ...item,
    attempts: [...item.attempts, { ...attempt, lease: data.lease, startedAt: data.startedAt }],
  }));
  return { ...next, fence: data.attempts.reduce((highest, attempt) => Math.max(highest, attempt.fence), state.fence) };
}

/** The first closing stands, but a plan that was closed because policy was away may still be stopped. */
const mayClose = (state: PlanState, { reason }: Closed): boolean => !state.closed || (!isStopped(state) && reason !== 'policy_unavailable');

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

/**
 * An indeterminate outcome may still be settled by its own attempt's late answer or a later attempt's; a settled one
 * never changes, and the same indeterminate again says nothing new.
 */
export function maySettle(item: ItemState, outcome: ItemOutcome): boolean {
  if (!item.outcome) return true;
  if (item.outcome.outcome !== 'indeterminate') return false;
  if (outcome.outcome === 'indeterminate') return outcome.attempt > item.outcome.attempt;
  return outcome.attempt >= item.outcome.attempt;
}

/** Cancelled, or its session has ended: nothing of it is started any more. That policy was away only denies what it has not judged. */
export const isStopped = (plan: PlanState): boolean => plan.closed !== undefined && plan.closed.reason !== 'policy_unavailable';

/** Every item has come to its end, and there is a plan at all. */
export const isSettled = (plan: PlanState): boolean =>
  plan.proposed !== undefined && [...plan.items.values()].every((item) => outcomeOf(item) !== undefined);
