import { LIMITS, type Json } from '@countersign/contracts';
import { canonicalJson } from '@countersign/kernel';

/** A result as text for the model: a string as it is, text parts joined, everything else as JSON; cut with a word about it. */
export function resultText(result: Json): string {
  const text = typeof result === 'string' ? result : textParts(result) ?? canonicalJson(result);
  if (text.length <= LIMITS.toolResultChars) return text;
  return `${wholeCharacters(text, LIMITS.toolResultChars)}\n[cut: ${text.length - LIMITS.toolResultChars} more characters]`;
}

/** The text of `{ content: [{ type: 'text', text }] }`, the shape MCP servers answer in; undefined when any part is not text. */
function textParts(result: Json): string | undefined {
  if (typeof result !== 'object' || result === null || Array.isArray(result)) return undefined;
  const content = result['content'];
  if (!Array.isArray(content) || content.length === 0) return undefined;
  const texts = content.map((part) => (typeof part === 'object' && part !== null && !Array.isArray(part) && part['type'] === 'text' ? part['text'] : undefined));
  return texts.every((text) => typeof text === 'string') ? texts.join('\n') : undefined;
}

/** Does not end in half of a surrogate pair. */
function wholeCharacters(text: string, chars: number): string {
  const cut = text.slice(0, chars);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}
