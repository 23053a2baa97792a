import { LIMITS } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { ASTNode, ParseResult } from '@marcbachmann/cel-js';
import { boundNode } from './bounds.js';
import { within, type Budget } from './budget.js';
import { ENVIRONMENT } from './environment.js';
import type { ConditionContext } from './context.js';
import { countNodes, nestingOf, nodesOf } from './syntax.js';

export type ConditionResult = 'true' | 'false' | 'error';

export interface Condition {
  /** Whether it looks at the call's arguments. */
  readonly usesInput: boolean;
  /** Never throws: whatever goes wrong, and whatever is not true or false, is `error`. */
  readonly evaluate: (context: ConditionContext, budget: Budget) => ConditionResult;
}

/** All that a condition may call. What makes bytes, JSON or bindings is left out: it would make values that nobody bounded. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'has', 'all', 'exists', 'exists_one', 'map', 'filter', 'size', 'contains', 'startsWith', 'endsWith', 'matches',
  'lowerAscii', 'upperAscii', 'trim', 'indexOf', 'lastIndexOf', 'substring', 'split', 'join', 'int', 'double', 'string', 'bool', 'type', 'dyn',
  'timestamp', 'duration', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear', 'getFullYear', 'getHours', 'getMilliseconds', 'getMinutes', 'getMonth', 'getSeconds',
]);

/**
 * A condition in CEL, checked as far as it can be without a call: its syntax, names and types, its size and its patterns.
 * @throws GateError POLICY_INVALID saying what is wrong and where in the text
 */
export function compileCondition(text: string): Condition {
  const problem = (message: string): GateError => new GateError('POLICY_INVALID', message);
  if (text.length > LIMITS.celChars) throw problem(`the condition has more than ${LIMITS.celChars} characters`);
  const parsed = parse(text, problem);
  const steps = countNodes(parsed.ast);
  if (steps > LIMITS.celNodes) throw problem(`the condition has ${steps} parts; at most ${LIMITS.celNodes}`);
  if (nestingOf(parsed.ast) > LIMITS.celNesting) throw problem(`lists are gone through inside one another more than ${LIMITS.celNesting} deep`);
  for (const node of nodesOf(parsed.ast)) {
    if ((node.op === 'call' || node.op === 'rcall') && !FUNCTIONS.has(node.args[0])) throw problem(`conditions do not call ${node.args[0]}()${placeOf(node)}`);
  }
  try {
    boundNode(parsed.ast);
  } catch (error) {
    throw problem((error as Error).message);
  }
  const usesInput = [...nodesOf(parsed.ast)].some((node) => node.op === 'id' && node.args === 'input');
  return { usesInput, evaluate: (context, budget) => evaluate(parsed, steps, context, budget, usesInput) };
}

function parse(text: string, problem: (message: string) => GateError): ParseResult {
  try {
    const parsed = ENVIRONMENT.parse(text);
    const { valid, type, error } = parsed.check();
    if (!valid) throw error ?? new Error('it does not fit its types');
    if (type !== 'bool' && type !== 'dyn') throw new Error(`it must come to true or false, not to ${type}`);
    return parsed;
  } catch (error) {
    const { summary, node, message } = error as { readonly summary?: string; readonly node?: { readonly start?: number }; readonly message: string };
    throw problem(`the condition is not valid: ${summary ?? message.split('\n', 1)[0]}${placeOf(node)}`);
  }
}

const placeOf = (node: Partial<Pick<ASTNode, 'start'>> | undefined): string => (node?.start === undefined ? '' : ` (at character ${node.start + 1})`);

function evaluate(parsed: ParseResult, steps: number, context: ConditionContext, budget: Budget, usesInput: boolean): ConditionResult {
  try {
    if (usesInput && !context.inputUsable) return 'error';
    const result: unknown = within(budget, LIMITS.celSteps, steps, () => parsed(context.variables));
    return result === true ? 'true' : result === false ? 'false' : 'error';
  } catch {
    return 'error';
  }
}
