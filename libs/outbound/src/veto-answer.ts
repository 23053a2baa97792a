import type { VetoAnswer } from '@countersign/contracts';

export type Said = Pick<VetoAnswer, 'says' | 'message'>;

/** Of what a subscriber says about an item. */
const MESSAGE_CHARS = 300;

/**
 * `{items: [{itemId, decision: 'pass' | 'deny', message?}]}`. Undefined when it is anything else, also in a single entry, or
 * names an item twice or one that was not asked about: whoever answers that has not understood the question.
 */
export function readVetoAnswer(text: string, asked: readonly string[]): ReadonlyMap<string, Said> | undefined {
  const items = itemsOf(text);
  if (!items) return undefined;
  const known = new Set(asked);
  const said = new Map<string, Said>();
  for (const item of items) {
    const entry = entryOf(item);
    if (!entry || !known.has(entry.itemId) || said.has(entry.itemId)) return undefined;
    said.set(entry.itemId, entry.said);
  }
  return said;
}

function itemsOf(text: string): readonly unknown[] | undefined {
  try {
    const answer: unknown = JSON.parse(text);
    const items = isObject(answer) ? answer.items : undefined;
    return Array.isArray(items) ? items : undefined;
  } catch {
    return undefined;
  }
}

function entryOf(item: unknown): { readonly itemId: string; readonly said: Said } | undefined {
  if (!isObject(item)) return undefined;
  const { itemId, decision, message } = item;
  if (typeof itemId !== 'string' || (decision !== 'pass' && decision !== 'deny')) return undefined;
  if (message !== undefined && message !== null && typeof message !== 'string') return undefined;
  return { itemId, said: { says: decision, ...(message ? { message: message.slice(0, MESSAGE_CHARS).toWellFormed() } : {}) } };
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
