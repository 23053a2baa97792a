import { LIMITS, type PolicyBundle } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { Lexer, Parser, isAlias, isNode, parseAllDocuments, visit, type CST, type Document } from 'yaml';
import { validateBundle } from './validate-bundle.js';

/** More than a bundle has, and few enough for a composer that calls itself at every level: deep nesting ends the process there. */
const LEVELS = 32;
/** Of one object, more than a rule has: the composer compares each name with each other. */
const MEMBERS = 64;

/**
 * A bundle from YAML 1.2 (or JSON, which is YAML). Only plain data: one document without anchors, aliases, tags,
 * merge keys or repeated keys, so that what a reviewer reads is what is enforced.
 * Some texts still take the YAML library seconds: who reads for others bounds the time as well.
 * @throws GateError POLICY_INVALID naming line and column, or path
 */
export function parseBundle(text: string): PolicyBundle {
  return validateBundle(readDocument(text).toJS({ maxAliasCount: 0 }));
}

/**
 * The text as plain data, whatever shape it has.
 * @throws GateError POLICY_INVALID; `details.offset` says where in the text, when it is known
 */
export function readDocument(text: string): Document.Parsed {
  if (Buffer.byteLength(text) > LIMITS.policyBundleBytes) throw unreadable(`it is larger than ${LIMITS.policyBundleBytes} bytes`);
  refuseOutOfBounds(text);
  const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true, schema: 'core', merge: false, resolveKnownTags: false, prettyErrors: false });
  if (!Array.isArray(documents) || documents.length === 0) throw unreadable('it is empty');
  const [document] = documents as [Document.Parsed];
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) throw unreadable(`${problem.message} ${placeOf(text, problem.pos[0])}`, problem.pos[0]);
  refuseAllButPlainData(document);
  return document;
}

/** Counted here, for the first fault alone: the library searches the whole text for each of them. */
function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `at line ${before.length}, column ${before.at(-1)!.length + 1}`;
}

/** Before anything is composed, from lexemes alone: the parser's own stack is as high as the text is deep. */
function refuseOutOfBounds(text: string): void {
  const parser = new Parser();
  let documents = 0;
  const count = (tokens: Iterable<{ readonly type: string }>): void => {
    for (const { type } of tokens) if (type === 'document') documents += 1;
  };
  for (const lexeme of new Lexer().lex(text)) {
    count(parser.next(lexeme));
    if (parser.stack.length > LEVELS) throw unreadable(`it is nested deeper than ${LEVELS} levels`);
    if (isWide(parser.stack.at(-1))) throw unreadable(`an object has more than ${MEMBERS} members`);
    if (documents > 1) throw unreadable('it is more than one document');
  }
  count(parser.end());
  if (documents > 1) throw unreadable('it is more than one document');
}

const isWide = (token: CST.Token | undefined): boolean =>
  (token?.type === 'block-map' || (token?.type === 'flow-collection' && token.start.source === '{')) && token.items.length > MEMBERS;

function refuseAllButPlainData(document: Document.Parsed): void {
  visit(document, (_key, node) => {
    if (!isNode(node)) return;
    const offset = node.range?.[0];
    if (isAlias(node)) throw unreadable('aliases are not taken', offset);
    if (node.tag !== undefined) throw unreadable(`the tag ${node.tag} is not taken`, offset);
    if ('anchor' in node && node.anchor !== undefined) throw unreadable(`the anchor ${node.anchor} is not taken`, offset);
  });
}

function unreadable(problem: string, offset?: number): GateError {
  return new GateError('POLICY_INVALID', `The bundle cannot be read: ${problem}`, { path: '', problem, ...(offset === undefined ? {} : { offset }) });
}
