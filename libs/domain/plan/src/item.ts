import type {
  ApplyAttempt, ApplyOutcome, ApplyStarted, CloseReason, Decision, ItemAnswer, ItemCorrected, ItemId, ItemOutcome, ItemVerdict, ItemVote,
  JsonObject, OperationSnapshot, PreviewAbsence, PreviewResult, ProposedItem, RenderTree, Sealed,
} from '@countersign/contracts';

export type StartedAttempt = ApplyAttempt & { readonly lease: ApplyStarted['lease']; readonly startedAt: string };

/** How an item was judged and shown before a correction made that void. Only to be shown: nothing is decided by it but the expiry. */
export interface EarlierView {
  readonly verdict: ItemVerdict;
  readonly preview?: PreviewResult;
  readonly votes: readonly ItemVote[];
  readonly round: number;
  /** RFC 3339, UTC. */
  readonly judgedAt?: string;
}

/** One item, as the facts say it. What follows from them (decision, outcome) is computed below, never stored. */
export interface ItemState {
  readonly itemId: ItemId;
  readonly proposed: ProposedItem;
  readonly operation: OperationSnapshot;
  /** Of the arguments as they stand now (`currentInputOf`). */
  readonly preview?: PreviewResult;
  /** The newest one, of the arguments as they stand now; absent again after a correction. */
  readonly verdict?: ItemVerdict;
  /** Of the newest verdict there was; 0 while there was none. */
  readonly round: number;
  /** When `verdict` was given. RFC 3339, UTC. */
  readonly judgedAt?: string;
  /** Oldest first. */
  readonly corrections: readonly ItemCorrected[];
  /** One for each correction: what it made void. */
  readonly earlier: readonly EarlierView[];
  /** Approvals so far, of the item as `verdict` shows it; one a person. The one that completes the quorum is `answer`. */
  readonly votes: readonly ItemVote[];
  readonly answer?: ItemAnswer;
  readonly expiredAt?: string;
  /** Set when the plan was closed while this item was pending or asked. */
  readonly closed?: CloseReason;
  readonly attempts: readonly StartedAttempt[];
  readonly outcome?: ItemOutcome;
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

/** The arguments as they stand now: those of the last correction, else the proposed ones. This is what is previewed, judged and applied. */
export const currentInputOf = (item: ItemState): Sealed<JsonObject> => item.corrections.at(-1)?.input ?? item.proposed.input;

export const isCorrected = (item: ItemState): boolean => item.corrections.length > 0;

/** When the time to answer ends, also while a correction waits for its verdict. Undefined: never, or nobody was asked yet. RFC 3339, UTC. */
export const expiryOf = (item: ItemState): string | undefined => (item.verdict ?? item.earlier.at(-1)?.verdict)?.expiresAt;

/** How far the approval of an asked item has come. */
export const approvalOf = (item: ItemState): { readonly approvals: number; readonly quorum: number } =>
  ({ approvals: item.votes.length, quorum: item.verdict?.terms?.quorum ?? 1 });

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

/** Only resource items whose operation says so are previewed (`plan-apply-gate` § Preview flow). */
export const isPreviewable = (item: ItemState): boolean => item.operation.kind === 'resource' && item.operation.previewable === true;

export type PreviewShown =
  | { readonly tree: Sealed<RenderTree>; readonly fingerprint?: string }
  | { readonly absent: PreviewAbsence };

/**
 * The preview as the approver sees it. Undefined: none is due (not previewable), or none has come yet while the item is
 * pending. Once judged without one, it is absent because the fan-out did not answer in time, whatever comes later.
 */
export function previewOf(item: ItemState): PreviewShown | undefined {
  if (!isPreviewable(item)) return undefined;
  if (item.preview) {
    if ('absent' in item.preview) return { absent: item.preview.absent };
    const { tree, fingerprint } = item.preview;
    return fingerprint === undefined ? { tree } : { tree, fingerprint };
  }
  return item.verdict ? { absent: 'fanout_unavailable' } : undefined;
}

/** The attempt that was started and whose end nobody has written yet. */
export function openAttemptOf(item: ItemState): StartedAttempt | undefined {
  const last = item.attempts.at(-1);
  if (!last) return undefined;
  return item.outcome && item.outcome.attempt >= last.attempt ? undefined : last;
}
