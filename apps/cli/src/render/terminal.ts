/**
 * Text of agents, tools and files is shown to a person who decides on it: nothing in it may move the cursor, change
 * colours, or hide. Control characters, escape sequences and bidirectional overrides are made visible.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (character) => `\\u${hexOf(character.codePointAt(0)!)}`);
}

/** Controls, and what takes no room, reorders its line, or is no character: joiners, fillers, tags, halves of surrogate pairs. */
const UNSEEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ud800-\udfff\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;

const hexOf = (code: number): string => (code > 0xffff ? `{${code.toString(16)}}` : code.toString(16).padStart(4, '0'));

/** `text` on one line, cut to `max` characters with what was cut in words. */
export function oneLine(text: string, max = 100): string {
  const flat = visible(text).replace(/\n/g, '\\n').replace(/\t/g, ' ');
  return flat.length <= max ? flat : `${flat.slice(0, max)}… (${flat.length - max} more)`;
}

/** Before every line that others wrote: nothing behind it is ours. */
export const gutter = (text: string): string => text.split('\n').map((line) => `${GUTTER}${line}`).join('\n');
export const GUTTER = '│ ';

const coloured = (): boolean => process.env['NO_COLOR'] === undefined && process.stdout.isTTY === true;
const paint = (code: number) => (text: string): string => (coloured() ? `\u001b[${code}m${text}\u001b[0m` : text);

export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);
export const cyan = paint(36);

export const indent = (text: string, by = 4): string => text.split('\n').map((line) => (line === '' ? line : ' '.repeat(by) + line)).join('\n');

/** Local time with its offset in words the reader knows, and the instant itself for other time zones. */
export const moment = (rfc3339: string): string => `${new Date(rfc3339).toLocaleString()} (${rfc3339})`;

/** Columns padded to their widest cell. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>((widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)), []);
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd()).join('\n');
}
