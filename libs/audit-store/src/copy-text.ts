import type { Cell } from './tables.js';

const NEEDS_ESCAPE = /[\\\n\r\t]/;
const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * One cell in PostgreSQL's COPY text format; cells are parted by tabs, rows by line feeds. The caller has made sure that
 * no text holds NUL, which PostgreSQL refuses.
 */
export function copyCell(cell: Cell): string {
  if (cell === null) return '\\N';
  if (typeof cell === 'string') return NEEDS_ESCAPE.test(cell) ? cell.replace(/[\\\n\r\t]/g, (char) => ESCAPES[char]!) : cell;
  if (typeof cell === 'number') return String(cell);
  if (typeof cell === 'boolean') return cell ? 't' : 'f';
  return `\\\\x${Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength).toString('hex')}`;
}
