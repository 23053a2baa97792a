import { GateError, digestOf } from '@countersign/kernel';

/** The last row of a page; the next page begins below it. Rows come newest first, so later inserts move nothing. */
export interface PageEnd {
  readonly sequence: number;
  readonly ordinal: number;
}

/** Opaque to callers. Bound to tenant and filters: a cursor of another question is refused, not answered differently. */
export function encodeCursor(end: PageEnd, question: object): string {
  return Buffer.from(JSON.stringify([end.sequence, end.ordinal, fingerprint(question)])).toString('base64url');
}

/** @throws GateError CURSOR_INVALID */
export function decodeCursor(cursor: string, question: object): PageEnd {
  const parts = parse(cursor);
  if (!Array.isArray(parts) || parts.length !== 3 || parts[2] !== fingerprint(question)) throw new GateError('CURSOR_INVALID');
  const [sequence, ordinal] = parts as [unknown, unknown];
  if (!Number.isSafeInteger(sequence) || !Number.isInteger(ordinal) || Math.abs(ordinal as number) > 2_147_483_647) throw new GateError('CURSOR_INVALID');
  return { sequence: sequence as number, ordinal: ordinal as number };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw new GateError('CURSOR_INVALID');
  }
}

const fingerprint = (question: object): string => digestOf(question).slice(0, 16);
