import type { GrantNarrow, Scope } from '@countersign/contracts';
import type { DecisionRequest } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { momentFrom } from '../edge/moment.js';
import { narrowFrom } from './narrow.js';

/** How far an answer reaches. */
export interface Reach {
  readonly scope: Scope;
  readonly narrow?: GrantNarrow;
  /** RFC 3339, UTC. */
  readonly grantExpiresAt?: string;
}

/** @param now RFC 3339, UTC. @throws GateError INVALID_REQUEST for what does not belong to the scope, and for a grant that is over already */
export function reachFrom({ scope: given, narrow, grantExpiresAt }: DecisionRequest, now: string): Reach {
  const scope = given ?? 'once';
  if (scope === 'once' && narrow) throw new GateError('INVALID_REQUEST', '`narrow` goes with scope session or always');
  if (scope !== 'always' && grantExpiresAt) throw new GateError('INVALID_REQUEST', '`grantExpiresAt` goes with scope always');
  return {
    scope,
    ...(narrow ? { narrow: narrowFrom(narrow) } : {}),
    ...(grantExpiresAt ? { grantExpiresAt: laterThan(now, grantExpiresAt) } : {}),
  };
}

function laterThan(now: string, text: string): string {
  const at = momentFrom(text, now, 1);
  if (at === undefined || at <= now) throw new GateError('INVALID_REQUEST', '`grantExpiresAt` must be a time to come: RFC 3339, or a duration such as 7d');
  return at;
}
