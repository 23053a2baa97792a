import { LIMITS } from '@countersign/contracts';
import type { NoticeItem } from './notice.js';

const TEXT_CHARS = 300;

/** One line of at most 300 characters. */
export function cut(text: string): string {
  const line = text.toWellFormed().replace(/\s+/g, ' ').trim();
  return line.length <= TEXT_CHARS ? line : `${line.slice(0, TEXT_CHARS - 1).toWellFormed()}…`;
}

/** As many as fit, in their order, and how many do not. */
export function fitting(items: readonly NoticeItem[]): { readonly items: readonly NoticeItem[]; readonly itemsOmitted?: number } {
  let bytes = 0;
  const beyond = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > LIMITS.webhookItemsBytes);
  return beyond < 0 ? { items } : { items: items.slice(0, beyond), itemsOmitted: items.length - beyond };
}
