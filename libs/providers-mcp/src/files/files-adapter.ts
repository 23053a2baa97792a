import { LIMITS } from '@countersign/contracts';
import { refused, type ApplyCall, type FailedAnswer, type ReconcileAnswer } from '@countersign/providers';
import type { McpAdapter, ToolCaller } from '../mcp-adapter.js';
import { filesErrorCategory, fingerprintOf, readFile } from './file-content.js';
import { previewEdit, previewWrite } from './file-preview.js';

const PREVIEWS = new Map([['write_file', previewWrite], ['edit_file', previewEdit]]);
/** The adapter looks through these; a server without them gets neither previews nor reconciliation. */
const NEEDED = ['get_file_info', 'read_text_file'];

/** For `@modelcontextprotocol/server-filesystem`, and only where the endpoint says `adapter: 'files'`. */
export const filesAdapter: McpAdapter = {
  overlay(tool, all) {
    const able = NEEDED.every((name) => all.some((other) => other.name === name));
    return { previewable: able && PREVIEWS.has(tool.name), reconcilable: able && tool.name === 'write_file' };
  },
  categoryOf: filesErrorCategory,
  async preview(call, caller) {
    return (await PREVIEWS.get(call.operation.name)?.(call, caller)) ?? { absent: 'unsupported' };
  },
  refusal,
  reconcile,
};

async function refusal(call: ApplyCall, caller: ToolCaller): Promise<FailedAnswer | undefined> {
  const { path } = call.input;
  if (call.expectedFingerprint === undefined || !PREVIEWS.has(call.operation.name) || typeof path !== 'string') return undefined;
  const current = await readFile(path, caller, call.signal);
  if (fingerprintOf(current) === call.expectedFingerprint) return undefined;
  if (current.found === 'timeout') return refused('timeout', 'The file could not be looked at within the deadline');
  return refused('precondition_failed', 'The file is not as it was when its preview was made; propose the change anew');
}

async function reconcile(call: ApplyCall, caller: ToolCaller): Promise<ReconcileAnswer> {
  const { path, content } = call.input;
  if (call.operation.name !== 'write_file' || typeof path !== 'string' || typeof content !== 'string') return { found: 'unknown' };
  const current = await readFile(path, caller, call.signal, LIMITS.resultBytes);
  if (current.found === 'text' && current.text === content) return { found: 'applied', result: { content: `${path} holds the written content` } };
  const fingerprint = fingerprintOf(current);
  return fingerprint !== undefined && fingerprint === call.expectedFingerprint ? { found: 'not_applied' } : { found: 'unknown' };
}
