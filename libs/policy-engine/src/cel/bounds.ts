import type { ASTNode } from '@marcbachmann/cel-js';
import { spend } from './budget.js';
import { compilePattern } from './patterns.js';
import { COMPREHENSIONS, childrenOf, countNodes } from './syntax.js';

/** cel-js evaluates a node by this method of its own, which it puts in place at the first call (`parser.js`, class ASTNode). */
interface Evaluable { evaluate: (evaluator: unknown, node: unknown, context: unknown) => unknown }

/** Characters that a function goes through in about a microsecond; of what is not named: 64. */
const CHARACTERS_IN_A_STEP: Readonly<Record<string, number>> = {
  startsWith: 4_096, endsWith: 4_096, substring: 1_024, split: 16,
  '<': 4_096, '<=': 4_096, '>': 4_096, '>=': 4_096, '==': 4_096, '!=': 4_096, in: 1_024,
};
/** Time zones are looked up by the runtime's own tables. */
const TIME_ZONE_STEPS = 200;
/** An error that is made and then passed over by what stands around it, with its text and the place in the condition. */
const ERROR_STEPS = 10;
/** cel-js reads a duration by an expression that goes back and forth over long digits. */
const DURATION = { characters: 24, steps: 20 } as const;
/** Of a text looked for in another; a longer one may be compared at every place. */
const SOUGHT_IN_A_STEP = 1_024;
const SOUGHT_CHARACTERS = 8;

/**
 * Makes every part of a checked condition whose time depends on the input pay for it, before the work is done: comprehensions
 * for all their rounds, functions and comparisons for what they go through. Constant patterns are compiled here.
 * @throws Error in words, for a pattern that is not constant or not one
 */
export function boundNode(node: ASTNode): void {
  childrenOf(node).forEach(boundNode);
  switch (node.op) {
    case '||': case '&&':
      return payForErrors(node.args[0]);
    case 'rcall':
      if (node.args[0] === 'matches') return bindPattern(node);
      if (node.args[0] === 'contains') return bindContains(node);
      if (COMPREHENSIONS.has(node.args[0])) {
        node.args[2].slice(1).forEach(payForErrors);
        return payForRounds(node.args[1], node.args[2].reduce((sum, part) => sum + countNodes(part), 1));
      }
      if (node.args[0].startsWith('get') && node.args[2].length > 0) before(node, () => spend(TIME_ZONE_STEPS));
      return payForSize(childrenOf(node), node.args[0]);
    case 'call':
      if (node.args[0] === 'duration') return boundDuration(node);
      return payForSize(node.args[1], node.args[0]);
    case '==': case '!=': case 'in': case '+': case '<': case '<=': case '>': case '>=':
      return payForSize(node.args, node.op);
  }
}

function payForRounds(list: ASTNode, nodes: number): void {
  after(list, (value) => spend(sizeOf(value) * nodes));
}

function payForSize(parts: readonly ASTNode[], what: string): void {
  const characters = CHARACTERS_IN_A_STEP[what] ?? 64;
  for (const part of parts) if (part.op !== 'value') after(part, (value) => payForValue(value, characters));
}

/** Deep, for what compares goes deep; it ends as soon as too much is spent. */
function payForValue(value: unknown, characters: number): void {
  if (typeof value === 'string') {
    if (value.length > characters) spend(Math.ceil(value.length / characters));
  } else if (typeof value === 'object' && value !== null && !(value instanceof Date)) {
    spend(sizeOf(value));
    const members = value instanceof Map ? value.values() : Array.isArray(value) ? value : Object.values(value);
    for (const member of members) payForValue(member, characters);
  }
}

function sizeOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (Array.isArray(value)) return value.length;
  return value instanceof Map ? value.size : Object.keys(value).length;
}

function bindPattern(node: ASTNode & { readonly op: 'rcall' }): void {
  const [, receiver, [pattern]] = node.args;
  if (pattern?.op !== 'value' || typeof pattern.args !== 'string') throw new Error('a regular expression must be a constant text');
  const fits = compilePattern(pattern.args);
  (node as unknown as Evaluable).evaluate = (evaluator, _node, context) => {
    const text = (receiver as unknown as Evaluable).evaluate(evaluator, receiver, context);
    if (typeof text !== 'string') throw new Error('matches() is for texts');
    return fits(text);
  };
}

/** Searching takes longer the longer the text is that is looked for; so both are known before it begins. */
function bindContains(node: ASTNode & { readonly op: 'rcall' }): void {
  const [, receiver, [sought]] = node.args;
  (node as unknown as Evaluable).evaluate = (evaluator, _node, context) => {
    const [text, part] = [receiver, sought!].map((one) => (one as unknown as Evaluable).evaluate(evaluator, one, context));
    if (typeof text !== 'string' || typeof part !== 'string') throw new Error('contains() is for texts');
    spend(Math.ceil((text.length / SOUGHT_IN_A_STEP) * (1 + part.length / SOUGHT_CHARACTERS)));
    return text.includes(part);
  };
}

function boundDuration(node: ASTNode & { readonly op: 'call' }): void {
  const check = (value: unknown): void => {
    if (typeof value === 'string' && value.length > DURATION.characters) throw new Error(`a duration has at most ${DURATION.characters} characters`);
  };
  const [text] = node.args[1];
  if (text?.op === 'value') check(text.args);
  else if (text) after(text, check);
  before(node, () => spend(DURATION.steps));
}

/** Of a part whose error does not end the condition. */
function payForErrors(node: ASTNode): void {
  wrap(node, (evaluate) => {
    try {
      return evaluate();
    } catch (error) {
      spend(ERROR_STEPS);
      throw error;
    }
  });
}

function after(node: ASTNode, pay: (value: unknown) => void): void {
  wrap(node, (evaluate) => {
    const value = evaluate();
    pay(value);
    return value;
  });
}

function before(node: ASTNode, pay: () => void): void {
  wrap(node, (evaluate) => {
    pay();
    return evaluate();
  });
}

/** Around the node's own method, also once cel-js has put it in place. */
function wrap(node: ASTNode, around: (evaluate: () => unknown) => unknown): void {
  const own = node as unknown as Evaluable;
  const standing = Object.hasOwn(own, 'evaluate') ? own.evaluate : undefined;
  let inner = standing;
  const first: Evaluable['evaluate'] = (evaluator, self, context) => {
    delete (own as Partial<Evaluable>).evaluate;
    try {
      return own.evaluate(evaluator, self, context);
    } finally {
      inner = own.evaluate;
      own.evaluate = wrapped;
    }
  };
  const wrapped: Evaluable['evaluate'] = (evaluator, self, context) =>
    around(() => (inner ? inner.call(own, evaluator, self, context) : first(evaluator, self, context)));
  own.evaluate = wrapped;
}
