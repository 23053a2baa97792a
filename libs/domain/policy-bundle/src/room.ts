import { LIMITS } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';

/**
 * How many events a layer may hold before each kind of change is refused. An aggregate holds `LIMITS.aggregateRevisions`;
 * what changes nothing in force leaves room for what does, and that leaves room for going back.
 */
export const ROOM = {
  /** Pushes and shadows. What was pushed once is never written again, whoever pushes it how often. */
  keep: LIMITS.aggregateRevisions - 600,
  activate: LIMITS.aggregateRevisions - 100,
  /** Roll-backs, and taking a shadow away. */
  undo: LIMITS.aggregateRevisions,
} as const;
export type RoomFor = keyof typeof ROOM;

const WAY_OUT: Readonly<Record<RoomFor, string>> = {
  keep: 'bundles that are known may still be activated and new ones activated directly, without a push',
  activate: 'an earlier version may still be rolled back to; for other rules register a tenant anew, which begins an empty history',
  undo: 'freeze what must stop, and register a tenant anew, which begins an empty history',
};

/**
 * @param revisions events that the layer holds
 * @throws GateError AGGREGATE_TOO_LONG, saying what is still possible
 */
export function requireRoom(revisions: number, change: RoomFor): void {
  if (revisions < ROOM[change]) return;
  throw new GateError('AGGREGATE_TOO_LONG', `This layer holds ${revisions} changes, and at most ${ROOM[change]} may stand before this one: ${WAY_OUT[change]}`, { revisions });
}
