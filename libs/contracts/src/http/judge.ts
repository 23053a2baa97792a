import type { ErrorCode } from '../errors.js';
import { LIMITS } from '../limits.js';
import { rulesOf, type Class, type Rule } from './rules.js';

/** One thing that is wrong with a body. */
export interface FieldProblem {
  /** E.g. `/items/0/callId`; of a member that no rule knows only the beginning of its name. */
  readonly path: string;
  readonly message: string;
  /** When it has a code of its own, which goes before INVALID_REQUEST. */
  readonly code?: ErrorCode;
}

/** Of a name that the caller made up. */
const SHOWN_NAME_CHARS = 64;

/**
 * What is wrong with a parsed body, by the rules of its class; the first `LIMITS.fieldProblems` of it, and then nothing is
 * looked at any more. The body itself is neither copied nor changed. Its cost grows with the body's members and no
 * faster, and a list that is too long costs nothing.
 */
export function problemsOf(type: Class, plain: object): readonly FieldProblem[] {
  const found: FieldProblem[] = [];
  judgeObject(type, plain as Members, '', found);
  return found;
}

type Members = Readonly<Record<string, unknown>>;

const isFull = (found: readonly FieldProblem[]): boolean => found.length >= LIMITS.fieldProblems;

function judgeObject(type: Class, members: Members, path: string, found: FieldProblem[]): void {
  const rules = rulesOf(type);
  for (const [name, rule] of rules) {
    judgeField(rule, Object.hasOwn(members, name) ? members[name] : undefined, `${path}/${name}`, found);
    if (isFull(found)) return;
  }
  for (const name in members) {
    if (rules.has(name)) continue;
    found.push({ path: `${path}/${name.slice(0, SHOWN_NAME_CHARS)}`, message: 'is no field of this request' });
    if (isFull(found)) return;
  }
}

function judgeField(rule: Rule, value: unknown, path: string, found: FieldProblem[]): void {
  if (rule.optional && (value === undefined || value === null)) return;
  const { members, inner } = rule;
  if (members && Array.isArray(value) && value.length > members.max) {
    found.push({ path, message: `must have at most ${members.max} members`, ...(members.code ? { code: members.code } : {}) });
    return;
  }
  const message = rule.check(value);
  if (message !== undefined) found.push({ path, message });
  else if (inner && Array.isArray(value)) judgeMembers(inner(), value, path, found);
  else if (inner) judgeObject(inner(), value as Members, path, found);
}

function judgeMembers(type: Class, list: readonly unknown[], path: string, found: FieldProblem[]): void {
  for (const [index, member] of list.entries()) {
    if (isObject(member)) judgeObject(type, member, `${path}/${index}`, found);
    else found.push({ path: `${path}/${index}`, message: 'must be an object' });
    if (isFull(found)) return;
  }
}

/** A JSON object, and no list. */
export const isObject = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
