import type { AskTerms, GrantNarrow, PrincipalId, Scope } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { decisionOf, expiryOf, isCorrected, isPending, isResolved, type ItemState } from '../item.js';
import { isOver } from './expire-items.js';

/** What an answer and a correction have in common: who says it, about what, and when. Its assertion is verified already. */
export interface Said {
  /** The item as the person saw it. */
  readonly itemDigest: string;
  readonly principal: PrincipalId;
  /** Roles and groups of the key. */
  readonly roles?: readonly string[];
  readonly reason?: string;
  /** By the gateway's clock, as it was signed. RFC 3339, UTC. */
  readonly saidAt: string;
  /** By the clock of whoever decides. An answer is late when it is late by either of the two. RFC 3339, UTC. */
  readonly decidedAt: string;
}

/** Of the oldest asks, whose verdicts state no terms. */
const OLDEST_TERMS: AskTerms = { quorum: 1, onTimeout: 'deny', scopes: ['once'] };
export const termsOf = (item: ItemState): AskTerms => item.verdict?.terms ?? OLDEST_TERMS;

/** Why the item does not wait for this at all; undefined: it does. */
export function notWaiting(item: ItemState, said: Pick<Said, 'itemDigest' | 'saidAt' | 'decidedAt'>): GateError | undefined {
  if (item.expiredAt) return expired(item);
  if (isResolved(item)) return item.closed || item.answer || isCorrected(item) ? alreadyResolved(item) : notAsked(item);
  const expiresAt = expiryOf(item);
  if (isOver(expiresAt, said.saidAt) || isOver(expiresAt, said.decidedAt)) return expired(item);
  if (isPending(item)) return isCorrected(item) ? itemChanged(item) : notAsked(item);
  return item.verdict?.itemDigest === said.itemDigest ? undefined : itemChanged(item);
}

/** Why these words of this person do not count under the terms of the ask; undefined: they do. */
export function notByTerms(item: ItemState, { roles = [], reason }: Said): GateError | undefined {
  const terms = termsOf(item);
  if (terms.roles && !terms.roles.some((role) => roles.includes(role))) {
    return new GateError('FORBIDDEN', `Item ${item.itemId} is for ${terms.roles.join(' or ')} to answer`, { itemId: item.itemId, roles: terms.roles });
  }
  if (terms.requireReason && !reason?.trim()) return new GateError('REASON_REQUIRED', undefined, { itemId: item.itemId });
  return undefined;
}

/** Separation of duties: whoever proposed the plan or corrected the item does not approve it. They may reject it. */
export function notTheirs(item: ItemState, requester: PrincipalId | undefined, principal: PrincipalId): GateError | undefined {
  if (!termsOf(item).notRequester) return undefined;
  const wrote = item.corrections.some((correction) => correction.principal === principal);
  if (principal !== requester && !wrote) return undefined;
  return new GateError('SECOND_PERSON_REQUIRED', `${principal} ${wrote ? 'corrected' : 'proposed'} item ${item.itemId} and does not approve it; somebody else must`, { itemId: item.itemId });
}

/** How far an answer may reach. With a quorum an approval reaches the item only: more would rest on the last one's word alone. */
export function notOffered(item: ItemState, { scope, narrow, decision }: { readonly scope: Scope; readonly narrow?: GrantNarrow; readonly decision: 'approve' | 'reject' }): GateError | undefined {
  if (scope === 'once') return undefined;
  const { scopes, quorum, narrowOnly } = termsOf(item);
  const offered = decision === 'approve' && quorum > 1 ? scopes.filter((one) => one === 'once') : scopes;
  if (!offered.includes(scope)) return new GateError('SCOPE_NOT_OFFERED', undefined, { itemId: item.itemId, scopes: offered });
  if (narrowOnly && !narrow) return new GateError('NARROW_REQUIRED', undefined, { itemId: item.itemId });
  return undefined;
}

export function alreadyResolved(item: ItemState): GateError {
  const verdict = decisionOf(item);
  return new GateError('ALREADY_RESOLVED', `Item ${item.itemId} was decided before: ${verdict.decision} by ${verdict.decidedBy}`, { itemId: item.itemId, verdict });
}

function notAsked(item: ItemState): GateError {
  const verdict = decisionOf(item);
  const why = isPending(item) ? 'it has no verdict yet' : `${verdict.decision} by ${verdict.decidedBy}`;
  return new GateError('NOT_ASKED', `Item ${item.itemId} does not wait for a person: ${why}`, { itemId: item.itemId, verdict });
}

function expired(item: ItemState): GateError {
  const expiresAt = expiryOf(item) ?? item.expiredAt;
  return new GateError('APPROVAL_EXPIRED', `The time to answer item ${item.itemId} ended at ${expiresAt}`, { itemId: item.itemId, expiresAt });
}

/** While a correction waits for its verdict there is no digest that could be named yet. */
function itemChanged(item: ItemState): GateError {
  return new GateError('ITEM_CHANGED', `Item ${item.itemId} is no longer what the answer names; look at it again`, {
    itemId: item.itemId, ...(item.verdict ? { itemDigest: item.verdict.itemDigest } : {}),
  });
}
