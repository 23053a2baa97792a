import { FILE_HEADERS_ONLY, applyPatch, createTwoFilesPatch, parsePatch } from 'diff';
import type { JsonObject, RenderTree } from '@countersign/contracts';
import { isTimeout, type PreviewAnswer, type ProviderCall } from '@countersign/providers';
import type { ToolCaller } from '../mcp-adapter.js';
import { contentText, fingerprintOf, readFile, type FileContent } from './file-content.js';

const CONTEXT_LINES = 3;

/** The unified diff of what `write_file` would leave, against what is on disk now. */
export async function previewWrite(call: ProviderCall, caller: ToolCaller): Promise<PreviewAnswer> {
  const { path, content } = call.input;
  if (typeof path !== 'string' || typeof content !== 'string') return { absent: 'failed' };
  const current = await readFile(path, caller, call.signal);
  return shown(path, current, content);
}

/**
 * `edit_file` offers a dry run, but its diff says nothing of line endings, which the edit makes uniform. So its patch
 * is applied to the content that we read, and the diff is made of what would really be on disk.
 */
export async function previewEdit(call: ProviderCall, caller: ToolCaller): Promise<PreviewAnswer> {
  const { path } = call.input;
  if (typeof path !== 'string') return { absent: 'failed' };
  const current = await readFile(path, caller, call.signal);
  if (current.found === 'absent') return { absent: 'failed' };
  if (current.found !== 'text') return shown(path, current, '');
  const dryRun = await caller('edit_file', { ...call.input, dryRun: true } as JsonObject, false);
  if (!dryRun.ok) return { absent: isTimeout(call.signal) ? 'timeout' : 'failed' };
  const edited = editedText(current.text, contentText(dryRun.result));
  return edited === undefined ? { absent: 'failed' } : shown(path, current, edited);
}

/** Undefined when the patch does not fit: the file has changed between the two looks. */
function editedText(current: string, answer: string): string | undefined {
  const fenced = /^(`{3,})diff\n([\s\S]*?)\n?\1\s*$/.exec(answer.trimEnd());
  if (!fenced) return undefined;
  const [patch] = parsePatch(fenced[2]!);
  const normalized = current.replace(/\r\n/g, '\n');
  if (!patch) return undefined;
  const edited = patch.hunks.length === 0 ? normalized : applyPatch(normalized, patch, { fuzzFactor: 0, autoConvertLineEndings: false });
  return edited === false ? undefined : edited;
}

function shown(path: string, current: FileContent, wanted: string): PreviewAnswer {
  if (current.found === 'too_large' || current.found === 'timeout') return { absent: current.found };
  if (current.found === 'binary' || current.found === 'failed') return { absent: 'failed' };
  const tree = current.found === 'absent' ? addedTree(path, wanted) : changedTree(path, current.text, wanted);
  return { tree, fingerprint: fingerprintOf(current)! };
}

const PATCH_OPTIONS = { context: CONTEXT_LINES, headerOptions: FILE_HEADERS_ONLY };

/** With nothing in it that could end its line, hide, or turn the writing round: an agent chose it, and an approver reads it. */
const PLAIN_PATH = /^[^\s"\\\p{C}\p{Z}]([^"\\\p{C}\p{Zl}\p{Zp}]*[^\s"\\\p{C}\p{Z}])?$/u;

/** As it is, or else as a JSON string, so that it forges no title. In a diff's header the same is done by `diff`, in Git's way. */
function shownPath(path: string): string {
  if (PLAIN_PATH.test(path)) return path;
  const escaped = (character: string): string => character.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return JSON.stringify(path).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, escaped);
}

function addedTree(path: string, wanted: string): RenderTree {
  const named = shownPath(path);
  const unified = createTwoFilesPatch('/dev/null', path, '', wanted, undefined, undefined, PATCH_OPTIONS);
  return { nodes: [{ type: 'text', text: wanted === '' ? `New file, empty: ${named}` : `New file: ${named}` }, { type: 'diff', path, unified }] };
}

function changedTree(path: string, before: string, after: string): RenderTree {
  const named = shownPath(path);
  if (before === after) return { nodes: [{ type: 'text', text: `No change: ${named} holds this content already` }] };
  const unified = createTwoFilesPatch(path, path, before, after, undefined, undefined, PATCH_OPTIONS);
  return { nodes: [{ type: 'text', text: after === '' ? `Changed file, emptied: ${named}` : `Changed file: ${named}` }, { type: 'diff', path, unified }] };
}
