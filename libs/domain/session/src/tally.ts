import { LIMITS, type ItemId, type PlanEvent, type PlanId, type Proposed, type StoredEvent } from '@countersign/contracts';

export interface ItemRef { readonly plan: PlanId; readonly itemId: ItemId }

/** What was proposed, as a loop is recognised by: the operation and the digest of the canonical input as the agent gave it. */
export interface TalliedCall extends ItemRef { readonly call: string }

export interface TalliedDenial extends ItemRef {
  /** Of the event that denied it. */
  readonly sequence: number;
  /** When that was appended. RFC 3339, UTC. */
  readonly time: string;
  /** 1, 2, …: how many have been denied in a row, this one included. */
  readonly inARow: number;
}

/** What of a session's plans counts for the breaker and against loops, up to a sequence of the log. Follows from the plans' events alone. */
export interface Tally {
  /** Of the last event that was taken. */
  readonly upTo: number;
  /** Items without their decision, of the newest plans. */
  readonly open: ReadonlyMap<PlanId, ReadonlySet<ItemId>>;
  /** Oldest first. */
  readonly calls: readonly TalliedCall[];
  /** Oldest first. */
  readonly denials: readonly TalliedDenial[];
  /** Denials since an item was last allowed. */
  readonly inARow: number;
}

export const emptyTally: Tally = { upTo: 0, open: new Map(), calls: [], denials: [], inARow: 0 };

/** The highest bounds that a tenant can set. */
const CALLS_KEPT = 200;
const DENIALS_KEPT = 1_000;

/** Denied by nobody's judgement of the call: the trip itself, time, an end, a freeze of everything. */
const NO_DENIALS: ReadonlySet<string> = new Set(['breaker', 'loop', 'expired', 'cancelled', 'session:ended', 'policy:unavailable']);

/** Whether a deny counts as a denial: policy, a guardrail, a grant, a standing rule, a veto, the session's mode or profile, or a person said no. */
export const countsAsDenial = (decidedBy: string): boolean => !NO_DENIALS.has(decidedBy) && !decidedBy.startsWith('freeze:');

/** Takes the session's next plan event; one that was taken before changes nothing. Total. */
export function tallied(tally: Tally, event: StoredEvent<PlanEvent>): Tally {
  if (event.sequence <= tally.upTo) return tally;
  const next = { ...tally, upTo: event.sequence };
  const plan = event.key.id;
  switch (event.type) {
    case 'plan.Proposed':
      return proposed(next, plan, event.data);
    case 'plan.Evaluated':
      return event.data.items.reduce((sum, { itemId, decision, decidedBy }) => (decision === 'ask' ? sum : decided(sum, event, itemId, decision, decidedBy)), next);
    case 'plan.ItemsAnswered':
      return event.data.answers.reduce((sum, { itemId, decision, principal }) => decided(sum, event, itemId, decision === 'approve' ? 'allow' : 'deny', `person:${principal}`), next);
    case 'plan.ItemsExpired':
      return event.data.items.reduce((sum, itemId) => decided(sum, event, itemId, 'deny', 'expired'), next);
    case 'plan.Closed':
      return { ...next, open: withoutPlan(next.open, plan) };
    default:
      return next;
  }
}

function proposed(tally: Tally, plan: PlanId, { items }: Proposed): Tally {
  const calls = items.slice(-CALLS_KEPT).map(({ itemId, operation, input }) => ({ plan, itemId, call: `${operation} ${input.digest}` }));
  const open = new Map(tally.open).set(plan, new Set(items.map(({ itemId }) => itemId)));
  if (open.size > LIMITS.breakerPlans) open.delete(open.keys().next().value!);
  return { ...tally, open, calls: [...tally.calls, ...calls].slice(-CALLS_KEPT) };
}

/** The first decision of an item counts; what is said of it later changes nothing of it. */
function decided(tally: Tally, event: StoredEvent<PlanEvent>, itemId: ItemId, decision: 'allow' | 'deny', decidedBy: string): Tally {
  const plan = event.key.id;
  const items = tally.open.get(plan);
  if (!items?.has(itemId)) return tally;
  const left = [...items].filter((other) => other !== itemId);
  const next = { ...tally, open: left.length === 0 ? withoutPlan(tally.open, plan) : new Map(tally.open).set(plan, new Set(left)) };
  if (decision === 'allow') return { ...next, inARow: 0 };
  if (!countsAsDenial(decidedBy)) return next;
  const inARow = tally.inARow + 1;
  const denial: TalliedDenial = { plan, itemId, sequence: event.sequence, time: event.time, inARow };
  return { ...next, inARow, denials: [...next.denials, denial].slice(-DENIALS_KEPT) };
}

const withoutPlan = (open: Tally['open'], plan: PlanId): Tally['open'] => (open.has(plan) ? new Map([...open].filter(([other]) => other !== plan)) : open);
