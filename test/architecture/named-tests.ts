import ts from 'typescript';
import { read } from './tree.js';

/**
 * The full names of all tests in a file (`describe › … › test`), read from its text without running it. A name made at
 * run time (a template, a row of `each`) stands as it is written: `refuses when $what`.
 */
export function testNamesIn(path: string): readonly string[] {
  const known = readBefore.get(path) ?? namesIn(path);
  readBefore.set(path, known);
  return known;
}

const readBefore = new Map<string, readonly string[]>();

function namesIn(path: string): string[] {
  const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
  const names: string[] = [];
  const visit = (node: ts.Node, above: readonly string[]): void => {
    const call = ts.isCallExpression(node) ? titled(node) : undefined;
    if (!call) return ts.forEachChild(node, (child) => visit(child, above));
    const name = [...above, call.title];
    if (call.kind === 'test') names.push(name.join(' › '));
    for (const argument of (node as ts.CallExpression).arguments) visit(argument, call.kind === 'test' ? above : name);
  };
  visit(source, []);
  return names;
}

/** `it('…')`, `describe('…')`, `it.each(rows)('…')`; what is skipped is no test. */
function titled(call: ts.CallExpression): { kind: 'group' | 'test'; title: string } | undefined {
  const [first] = call.arguments;
  const callee = calleeName(call.expression);
  const kind = callee === 'describe' ? 'group' : callee === 'it' || callee === 'test' ? 'test' : undefined;
  if (!kind || !first || ts.isArrowFunction(first)) return undefined;
  if (ts.isStringLiteralLike(first)) return { kind, title: first.text };
  if (ts.isTemplateExpression(first)) return { kind, title: first.getText().slice(1, -1) };
  return kind === 'group' ? { kind, title: first.getText() } : undefined;
}

function calleeName(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) return expression.text;
  if (ts.isCallExpression(expression)) return eachOf(expression.expression);
  return undefined;
}

const eachOf = (expression: ts.Expression): string | undefined =>
  (ts.isPropertyAccessExpression(expression) && expression.name.text === 'each' && ts.isIdentifier(expression.expression)
    ? expression.expression.text : undefined);
