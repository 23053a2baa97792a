import { ID_PATTERN, LIMITS, RISK_CLASSES, SESSION_ID_PATTERN, type ApprovalQuery } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { standingOf, type Caller } from '../auth/caller.js';
import { momentFrom } from '../edge/moment.js';
import { matching, numberFrom, oneOf, textFrom, timeFrom, given, type Query } from '../edge/query.js';

/** `?mine=true` */
export const asksWhatIsMine = (query: Query): boolean => oneOf(query, 'mine', ['true', 'false']) === 'true';

/** @param now RFC 3339, UTC. @throws GateError INVALID_REQUEST */
export function approvalQuery(query: Query, caller: Caller, now: string): ApprovalQuery {
  return given({
    roles: rolesFrom(query, caller),
    provider: textFrom(query, 'provider', LIMITS.nameChars),
    operation: textFrom(query, 'operation', LIMITS.nameChars),
    risk: oneOf(query, 'risk', RISK_CLASSES),
    session: matching(query, 'session', SESSION_ID_PATTERN),
    agent: textFrom(query, 'agent', LIMITS.nameChars),
    askedBefore: askedBefore(query, now),
    limit: numberFrom(query, 'limit', { min: 1, max: LIMITS.pageItems }),
    cursor: textFrom(query, 'cursor', 512),
  });
}

function rolesFrom(query: Query, caller: Caller): readonly string[] | undefined {
  const role = matching(query, 'role', ID_PATTERN);
  if (!asksWhatIsMine(query)) return role === undefined ? undefined : [role];
  if (role !== undefined) throw new GateError('INVALID_REQUEST', '?mine asks for the key’s own roles and groups: give it without ?role');
  return standingOf(caller);
}

function askedBefore(query: Query, now: string): string | undefined {
  const text = textFrom(query, 'olderThan', 20);
  const before = timeFrom(query, 'askedBefore');
  if (text === undefined) return before;
  if (before !== undefined) throw new GateError('INVALID_REQUEST', 'Give ?olderThan or ?askedBefore, not both');
  const moment = /^\d{1,6}[smhd]$/.test(text) ? momentFrom(text, now, -1) : undefined;
  if (moment === undefined) throw new GateError('INVALID_REQUEST', '?olderThan must be a duration such as 90s, 30m, 8h or 2d');
  return moment;
}
