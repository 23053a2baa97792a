import type { ASTNode } from '@marcbachmann/cel-js';

/** Macros that go over a list: what is in their arguments is evaluated for each element. */
export const COMPREHENSIONS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'map', 'filter']);

/** Parts that are evaluated by themselves, in the order of the text. */
export function childrenOf(node: ASTNode): readonly ASTNode[] {
  switch (node.op) {
    case 'value': case 'id': return [];
    case '.': case '.?': return [node.args[0]];
    case 'call': return node.args[1];
    case 'rcall': return [node.args[1], ...node.args[2]];
    case 'list': return node.args;
    case 'map': return node.args.flat();
    case '!_': case '-_': return [node.args];
    default: return node.args;
  }
}

/** Every node, the outermost first. */
export function* nodesOf(node: ASTNode): Generator<ASTNode> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

export const countNodes = (node: ASTNode): number => childrenOf(node).reduce((sum, child) => sum + countNodes(child), 1);

/** How many comprehensions stand inside one another. */
export function nestingOf(node: ASTNode): number {
  const own = node.op === 'rcall' && COMPREHENSIONS.has(node.args[0]) ? 1 : 0;
  return own + Math.max(0, ...childrenOf(node).map(nestingOf));
}
