import type { GrantActivated, GrantEvent, GrantReserved, GrantRevoked, StandingGrant } from '@countersign/contracts';
import { digestOf, type Fold } from '@countersign/kernel';

/** What was given last, and since when it counts: the time of the answer. */
export interface ActiveGrant {
  readonly reservation: string;
  readonly grant: StandingGrant;
  /** RFC 3339, UTC. */
  readonly activatedAt: string;
}

/** One standing rule of a tenant, named by its match; giving it again is the same aggregate. */
export interface GrantState {
  /** Made and not made good, by reservation, oldest first; the time when each lapses stands in it. */
  readonly reserved: ReadonlyMap<string, GrantReserved>;
  /** Reservations that were made good, so that the same one again changes nothing. */
  readonly madeGood: ReadonlySet<string>;
  /** The newest activation, also when it was revoked or has expired: ask `inForce`. */
  readonly active?: ActiveGrant;
  /** Since `active`. */
  readonly revoked?: GrantRevoked;
}

export const grantFold: Fold<GrantState, GrantEvent> = { initial: { reserved: new Map(), madeGood: new Set() }, evolve };

/** Total. An activation that nobody reserved stands all the same: whoever appended it has looked. */
export function evolve(state: GrantState, event: GrantEvent): GrantState {
  switch (event.type) {
    case 'grant.Reserved':
      return { ...state, reserved: new Map(state.reserved).set(event.data.reservation, event.data) };
    case 'grant.Activated':
      return activated(state, event.data);
    case 'grant.Revoked':
      // what was reserved before is void as well: a late answer must not revive what somebody has ended since
      return isActive(state) ? { ...state, reserved: new Map(), revoked: event.data } : state;
    default:
      return state;
  }
}

function activated(state: GrantState, { reservation, grant, at }: GrantActivated): GrantState {
  const reserved = new Map([...state.reserved].filter(([id]) => id !== reservation));
  return { reserved, madeGood: new Set(state.madeGood).add(reservation), active: { reservation, grant, activatedAt: at } };
}

/** Given and not revoked; whether it has expired is a question of the time. */
export const isActive = (state: GrantState): boolean => state.active !== undefined && state.revoked === undefined;

/** The grant as it counts at that moment; undefined: not given, revoked, or expired. @param now RFC 3339, UTC */
export function inForce(state: GrantState, now: string): ActiveGrant | undefined {
  if (!state.active || state.revoked) return undefined;
  const { expiresAt } = state.active.grant;
  // a time that cannot be read is over
  return expiresAt === undefined || Date.parse(now) < Date.parse(expiresAt) ? state.active : undefined;
}

/** A grant's match: what it covers, whatever it says of that. */
export type GrantMatch = Pick<StandingGrant, 'profile' | 'provider' | 'operation' | 'narrow'>;

/** The id of its aggregate: `allow` and `deny` for one match are one grant, of which the newest answer stands. */
export const grantIdOf = ({ profile, provider, operation, narrow }: GrantMatch): string =>
  `g${digestOf({ profile, provider, operation, ...(narrow === undefined ? {} : { narrow }) }).slice(0, 24)}`;
