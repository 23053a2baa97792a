import { LIMITS, type ApprovalQuery, type AuditItemQuery, type AuditPlanQuery } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import { decodeCursor, type PageEnd } from './cursor.js';

const DEFAULT_ROWS = 50;

/** What makes a question the same question on its next page. */
export function questionOf(table: string, tenant: string, query: AuditItemQuery | ApprovalQuery): object {
  const { cursor: _cursor, limit: _limit, ...filters } = query;
  return { table, tenant, filters };
}

/** @throws GateError INVALID_REQUEST */
export function rowsAsked(query: Pick<AuditPlanQuery, 'limit'>): number {
  const limit = query.limit ?? DEFAULT_ROWS;
  if (!Number.isInteger(limit) || limit < 1 || limit > LIMITS.pageItems) {
    throw new GateError('INVALID_REQUEST', `limit is a whole number from 1 to ${LIMITS.pageItems}`);
  }
  return limit;
}

/** @throws GateError INVALID_REQUEST, CURSOR_INVALID */
export function applyFilters<T extends ObjectLiteral>(builder: SelectQueryBuilder<T>, query: AuditItemQuery, equal: readonly (keyof AuditItemQuery)[]): void {
  for (const field of equal) {
    const value = query[field];
    if (value === undefined) continue;
    builder.andWhere(`r.${field} = :${field}`, { [field]: plainText(value, field) });
  }
  if (query.from !== undefined) builder.andWhere('r.eventTime >= :from', { from: instant(query.from, 'from') });
  if (query.to !== undefined) builder.andWhere('r.eventTime < :to', { to: instant(query.to, 'to') });
}

/** Text that PostgreSQL takes. @throws GateError INVALID_REQUEST */
export function plainText(value: unknown, what: string): string {
  if (typeof value !== 'string' || value.includes('\0')) throw new GateError('INVALID_REQUEST', `${what} is a text`);
  return value;
}

export function pageStart(query: AuditPlanQuery, question: object): PageEnd | undefined {
  return query.cursor === undefined ? undefined : decodeCursor(query.cursor, question);
}

export function instant(value: unknown, what: string): Date {
  const time = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value) ? new Date(value) : undefined;
  if (!time || Number.isNaN(time.getTime())) throw new GateError('INVALID_REQUEST', `${what} is an RFC 3339 time`);
  return time;
}
