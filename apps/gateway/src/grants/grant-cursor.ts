import { ID_PATTERN } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';

export interface PageOf<Row> { readonly rows: readonly Row[]; readonly nextCursor?: string }

/** Rows by their ids, after the one that the cursor names: what is added or goes meanwhile moves nothing else. @throws GateError CURSOR_INVALID */
export function pageAfter<Row extends { readonly grantId: string }>(all: readonly Row[], cursor: string | undefined, limit: number): PageOf<Row> {
  const after = cursor === undefined ? '' : idOf(cursor);
  const rest = all.filter(({ grantId }) => grantId > after).sort((a, b) => (a.grantId < b.grantId ? -1 : 1));
  const rows = rest.slice(0, limit);
  return rest.length > rows.length ? { rows, nextCursor: Buffer.from(rows.at(-1)!.grantId).toString('base64url') } : { rows };
}

function idOf(cursor: string): string {
  const id = /^[A-Za-z0-9_-]{1,120}$/.test(cursor) ? Buffer.from(cursor, 'base64url').toString('utf8') : '';
  if (!ID_PATTERN.test(id) || Buffer.from(id).toString('base64url') !== cursor) throw new GateError('CURSOR_INVALID');
  return id;
}
