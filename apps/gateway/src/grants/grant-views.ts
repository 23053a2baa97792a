import type { SessionGrant } from '@countersign/contracts';
import type { GrantStatus, SessionGrantView, StandingGrantView } from '@countersign/contracts/http';
import type { Folded } from '@countersign/event-log';
import type { GrantLife } from './grant-life.js';
import { coversInWords } from './in-words.js';

export function sessionGrantView({ grantId, provider, operation, decision, narrow, by, reason, origin, at }: SessionGrant): SessionGrantView {
  return {
    grantId, provider, operation, decision, ...(narrow ? { narrow } : {}),
    covers: coversInWords({ provider, operation, ...(narrow ? { narrow } : {}), within: { session: true } }),
    by, ...(reason === undefined ? {} : { reason }), origin, at,
  };
}

/** @param now RFC 3339, UTC. Undefined while it was only reserved */
export function standingGrantView(grantId: string, { state, position }: Folded<GrantLife>, now: string): StandingGrantView | undefined {
  const { active, revoked } = state;
  if (!active) return undefined;
  const { profile, provider, operation, decision, narrow, author, reason, origin, expiresAt } = active.grant;
  const until = expiresAt === undefined ? {} : { expiresAt };
  return {
    grantId, provider, operation, decision, ...(narrow ? { narrow } : {}),
    covers: coversInWords({ provider, operation, ...(narrow ? { narrow } : {}), within: { profile, ...until } }),
    ...(reason === undefined ? {} : { reason }), origin, profile, author, activatedAt: active.at, ...until,
    status: statusOf(state, now), ...(revoked ? { revoked: { by: revoked.by, ...(revoked.reason === undefined ? {} : { reason: revoked.reason }), at: revoked.at } } : {}),
    sequence: position.sequence,
  };
}

function statusOf({ active, revoked }: GrantLife, now: string): GrantStatus {
  if (revoked) return 'revoked';
  const expiresAt = active?.grant.expiresAt;
  return expiresAt !== undefined && Date.parse(expiresAt) <= Date.parse(now) ? 'expired' : 'active';
}
