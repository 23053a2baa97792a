import { LIMITS, type GrantEvent, type GrantRevoked, type StandingGrant } from '@countersign/contracts';
import { GateError, type Decision } from '@countersign/kernel';
import { isActive, type GrantState } from './state.js';

export interface Repeatable { readonly repeated: boolean }

export interface ReserveAs {
  /** Names this reservation; unique within the grant. */
  readonly reservation: string;
  readonly grant: StandingGrant;
  /** RFC 3339, UTC. */
  readonly at: string;
}
export interface ReservedUntil { readonly reservation: string; readonly until: string }

/**
 * Without effect until an answer cites it; several may stand beside each other, since several people may answer.
 * @throws GateError INVALID_REQUEST for an end that is not later than now
 */
export function reserve(state: GrantState, { reservation, grant, at }: ReserveAs): Decision<GrantEvent, ReservedUntil> {
  const known = state.reserved.get(reservation);
  if (known) return { reply: { reservation, until: known.until } };
  if (grant.expiresAt !== undefined && !(Date.parse(grant.expiresAt) > Date.parse(at))) {
    throw new GateError('INVALID_REQUEST', 'A grant’s end is a time that is still to come', { expiresAt: grant.expiresAt });
  }
  const until = new Date(Date.parse(at) + LIMITS.reservationMs).toISOString();
  return { event: { type: 'grant.Reserved', data: { reservation, grant, until, at } }, reply: { reservation, until } };
}

export interface ActivateAs {
  readonly reservation: string;
  /** When the answer that cites it was given. RFC 3339, UTC. */
  readonly at: string;
}

/**
 * Makes a reservation good. What counts is when the answer was given, not when policy hears of it: an answer that was durable in
 * time holds however late this comes. Of two answers the newer one stands; one that was revoked since is not revived.
 * @throws GateError RESERVATION_LAPSED
 */
export function activate(state: GrantState, { reservation, at }: ActivateAs): Decision<GrantEvent, Repeatable> {
  if (state.madeGood.has(reservation)) return { reply: { repeated: true } };
  const reserved = state.reserved.get(reservation);
  if (!reserved || !(Date.parse(at) <= Date.parse(reserved.until))) throw new GateError('RESERVATION_LAPSED', undefined, { reservation });
  if (state.active && isActive(state) && Date.parse(at) < Date.parse(state.active.activatedAt)) return { reply: { repeated: true } };
  return { event: { type: 'grant.Activated', data: { reservation, grant: reserved.grant, at } }, reply: { repeated: false } };
}

/** From the next evaluation on it says nothing any more; what it has allowed and has not begun stays allowed. @throws GateError NOT_FOUND */
export function revokeGrant(state: GrantState, command: GrantRevoked): Decision<GrantEvent, Repeatable> {
  if (!state.active) throw new GateError('NOT_FOUND', 'There is no such grant');
  if (!isActive(state)) return { reply: { repeated: true } };
  return { event: { type: 'grant.Revoked', data: command }, reply: { repeated: false } };
}

/** Left for making good what is reserved, and for revoking. */
const KEPT_FOR_ENDING = 200;

/** @param revisions events that the grant holds @throws GateError AGGREGATE_TOO_LONG, saying what is still possible */
export function requireRoomToReserve(revisions: number): void {
  if (revisions < LIMITS.aggregateRevisions - KEPT_FOR_ENDING) return;
  throw new GateError('AGGREGATE_TOO_LONG', `This grant was given and taken ${revisions} times over; answer with another condition, for the session or once, or write a rule`, { revisions });
}
