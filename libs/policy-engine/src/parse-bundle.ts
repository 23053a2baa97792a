import { LIMITS, type PolicyBundle } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { isAlias, isNode, parseAllDocuments, visit, type Document } from 'yaml';
import { validateBundle } from './validate-bundle.js';

/**
 * A bundle from YAML 1.2 (or JSON, which is YAML). Only plain data: one document without anchors, aliases, tags,
 * merge keys or repeated keys, so that what a reviewer reads is what is enforced.
 * @throws GateError POLICY_INVALID naming line and column, or path
 */
export function parseBundle(text: string): PolicyBundle {
  if (Buffer.byteLength(text) > LIMITS.eventBytes) throw unreadable(`it is larger than ${LIMITS.eventBytes} bytes`);
  const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true, schema: 'core', merge: false, resolveKnownTags: false });
  if (!Array.isArray(documents) || documents.length === 0) throw unreadable('it is empty');
  if (documents.length > 1) throw unreadable('it is more than one document');
  const [document] = documents as [Document.Parsed];
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw unreadable(problem.message.split('\n')[0]!);
  refuseAllButPlainData(document);
  return validateBundle(document.toJS({ maxAliasCount: 0 }));
}

function refuseAllButPlainData(document: Document.Parsed): void {
  visit(document, (_key, node) => {
    if (isAlias(node)) throw unreadable('aliases are not taken');
    if (!isNode(node)) return;
    if (node.tag !== undefined) throw unreadable(`the tag ${node.tag} is not taken`);
    if ('anchor' in node && node.anchor !== undefined) throw unreadable(`the anchor ${node.anchor} is not taken`);
  });
}

function unreadable(problem: string): GateError {
  return new GateError('POLICY_INVALID', `The bundle cannot be read: ${problem}`, { path: '', problem });
}
