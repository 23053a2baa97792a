import { LIMITS, type ProviderErrorCategory } from '@countersign/contracts';
import { sha256 } from '@countersign/kernel';
import { isTimeout } from '@countersign/providers';
import type { ToolCaller } from '../mcp-adapter.js';

/** What is on disk at a path, as the server itself sees it: its rules of what may be read hold for us as well. */
export type FileContent =
  | { readonly found: 'text'; readonly text: string }
  | { readonly found: 'absent' }
  | { readonly found: 'binary' } | { readonly found: 'too_large' } | { readonly found: 'failed' } | { readonly found: 'timeout' };

/** Which state of a file a preview rests on. */
export const fingerprintOf = (content: FileContent): string | undefined => {
  if (content.found === 'text') return `sha256:${sha256(content.text)}`;
  return content.found === 'absent' ? 'absent' : undefined;
};

/** @param limit bytes; a larger file is not read at all */
export async function readFile(path: string, caller: ToolCaller, signal: AbortSignal, limit: number = LIMITS.previewBytes): Promise<FileContent> {
  const info = await caller('get_file_info', { path }, false);
  if (!info.ok) return { found: failedAs(info.error.category, signal) };
  const facts = contentText(info.result);
  if (!/^isFile: true$/m.test(facts)) return { found: 'failed' };
  if (Number(/^size: (\d+)$/m.exec(facts)?.[1] ?? Infinity) > limit) return { found: 'too_large' };
  const answer = await caller('read_text_file', { path }, false);
  if (!answer.ok) return { found: failedAs(answer.error.category, signal) };
  const text = contentText(answer.result);
  // the server decodes as UTF-8: what was not text shows as NUL or as the replacement character
  return /[\u0000\ufffd]/.test(text) ? { found: 'binary' } : { found: 'text', text };
}

function failedAs(category: ProviderErrorCategory, signal: AbortSignal): 'absent' | 'failed' | 'timeout' {
  if (isTimeout(signal)) return 'timeout';
  return category === 'not_found' ? 'absent' : 'failed';
}

/** The text of `{ content: [{ type: 'text', text }] }`. */
export function contentText(result: unknown): string {
  const blocks = (result as { content?: readonly { type?: string; text?: string }[] } | null)?.content;
  return Array.isArray(blocks) ? blocks.map((block) => block.text ?? '').join('\n') : '';
}

/** What an error text of `server-filesystem` means. */
export function filesErrorCategory(text: string): ProviderErrorCategory {
  if (/\b(ENOENT|does not exist)\b/.test(text)) return 'not_found';
  if (/\b(Access denied|EACCES|EPERM|EROFS)\b/.test(text)) return 'permission_denied';
  if (/\b(Could not find exact match|EISDIR|ENOTDIR|ENAMETOOLONG|already exists|null bytes)\b/.test(text)) return 'invalid_arguments';
  return 'execution_failed';
}
