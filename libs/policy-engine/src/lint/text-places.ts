import { LineCounter, isMap, isNode, isPair, isScalar, isSeq, type Document, type Node } from 'yaml';

export interface Place { readonly line: number; readonly column: number }

/** Where the values of a bundle stand in its text. Lines and columns count from 1. */
export class TextPlaces {
  private readonly lines = new LineCounter();

  constructor(text: string, private readonly document?: Document.Parsed) {
    this.lines.addNewLine(0);
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.lines.addNewLine(at + 1);
  }

  at(offset: number): Place {
    const { line, col } = this.lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }

  /** Of what a JSON pointer names, or of the nearest thing around it. @param key of the member's name and not of its value */
  of(pointer: string, key = false): Place {
    let node: Node | null = this.document?.contents ?? null;
    let offset = node?.range?.[0] ?? 0;
    const tokens = pointer.split('/').slice(1).map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
    for (const [index, token] of tokens.entries()) {
      const last = index === tokens.length - 1;
      const found = memberOf(node, token);
      if (!found) break;
      const named = last && key ? found.key : found.value;
      offset = (named ?? found.key ?? found.value)?.range?.[0] ?? offset;
      node = found.value ?? null;
    }
    return this.at(offset);
  }
}

interface Member { readonly key?: Node; readonly value?: Node }

function memberOf(node: Node | null, token: string): Member | undefined {
  if (isSeq(node)) {
    const item = node.items[Number(token)];
    return isNode(item) ? { value: item } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((one) => isPair(one) && isScalar(one.key) && String(one.key.value) === token);
  if (!pair) return undefined;
  return { ...(isNode(pair.key) ? { key: pair.key } : {}), ...(isNode(pair.value) ? { value: pair.value } : {}) };
}
