import { GateError } from '@countersign/kernel';
import type { LogStream } from '@countersign/contracts';

/** How far a reader has come in both logs. What is at or before it has been delivered to that reader. */
export type Cursor = Readonly<Record<LogStream, number>>;

export const START: Cursor = { GATE: 0, CATALOG: 0 };

/** Opaque to readers: base64url of `{"gate":…,"catalog":…}`. */
export const formatCursor = (cursor: Cursor): string =>
  Buffer.from(JSON.stringify({ gate: cursor.GATE, catalog: cursor.CATALOG })).toString('base64url');

/** @throws GateError CURSOR_INVALID */
export function parseCursor(text: string): Cursor {
  const parsed = decoded(text);
  if (!isPosition(parsed?.['gate']) || !isPosition(parsed?.['catalog'])) throw new GateError('CURSOR_INVALID');
  return { GATE: parsed['gate'], CATALOG: parsed['catalog'] };
}

function decoded(text: string): Record<string, unknown> | undefined {
  if (text.length > 120 || !/^[A-Za-z0-9_-]+$/.test(text)) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

const isPosition = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

export const advanced = (cursor: Cursor, stream: LogStream, sequence: number): Cursor => ({ ...cursor, [stream]: Math.max(cursor[stream], sequence) });
