import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import type { ErrorCode } from '../errors.js';
import { holdsControl, holdsControlInProse } from '../characters.js';
import { isObject } from './judge.js';
import { ruled, type Check, type Class } from './rules.js';

/** The decorators of one request field: its rule and OpenAPI from one line, so that they cannot drift apart. */
interface Common { readonly optional?: true; readonly description?: string }
interface Characters {
  readonly max: number;
  /** Written for people, or a program's own text: it may hold tabs and line breaks. Nothing holds other control characters. */
  readonly prose?: true;
}
interface TextField extends Common, Characters { readonly min?: number; readonly pattern?: RegExp; readonly example?: string }
interface ListField extends Common { readonly maxItems: number }

const described = (field: Common) => ({ required: !field.optional, ...(field.description ? { description: field.description } : {}) });
const optional = (field: Common): boolean => field.optional === true;

export function Text(field: TextField): PropertyDecorator {
  const { min = 1, max, pattern, example } = field;
  const check: Check = (value) => {
    const problem = textProblem(value, { ...field, min });
    return problem ?? (pattern && !pattern.test(value as string) ? `must match ${pattern.source}` : undefined);
  };
  return applyDecorators(
    ruled({ optional: optional(field), check }),
    ApiProperty({ type: String, minLength: min, maxLength: max, ...described(field), ...(pattern ? { pattern: pattern.source } : {}), ...(example ? { example } : {}) }),
  );
}

export function Texts(field: ListField & Characters & { readonly pattern?: RegExp }): PropertyDecorator {
  const { pattern } = field;
  const check: Check = (member) => (
    textProblem(member, { ...field, min: 0 }) ?? (pattern && !pattern.test(member as string) ? `must match ${pattern.source}` : undefined));
  return applyDecorators(
    ruled({ optional: optional(field), members: { max: field.maxItems }, check: ofEach(check) }),
    ApiProperty({ type: [String], maxItems: field.maxItems, ...described(field) }),
  );
}

/** A whole number. */
export function Whole(field: Common & { readonly min: number; readonly max: number }): PropertyDecorator {
  const { min, max } = field;
  const check: Check = (value) => (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max ? undefined : `must be a whole number from ${min} to ${max}`);
  return applyDecorators(ruled({ optional: optional(field), check }), ApiProperty({ type: 'integer', minimum: min, maximum: max, ...described(field) }));
}

export function OneOf(values: readonly string[], field: Common = {}): PropertyDecorator {
  return applyDecorators(ruled({ optional: optional(field), check: oneOf(values) }), ApiProperty({ enum: [...values], ...described(field) }));
}

export function SomeOf(values: readonly string[], field: ListField): PropertyDecorator {
  return applyDecorators(
    ruled({ optional: optional(field), members: { max: field.maxItems }, check: ofEach(oneOf(values)) }),
    ApiProperty({ enum: [...values], isArray: true, ...described(field) }),
  );
}

export function Flag(field: Common = {}): PropertyDecorator {
  const check: Check = (value) => (typeof value === 'boolean' ? undefined : 'must be true or false');
  return applyDecorators(ruled({ optional: optional(field), check }), ApiProperty({ type: Boolean, ...described(field) }));
}

/** A JSON object whose inside is nobody's business here. It is taken as it was parsed, never copied or converted. */
export function JsonBody(field: Common = {}): PropertyDecorator {
  const { required, ...words } = described(field);
  return applyDecorators(ruled({ optional: optional(field), check: anObject }), ApiProperty({ type: 'object', additionalProperties: true, selfRequired: required, ...words }));
}

/** An object of another class, judged as one. */
export function Nested(type: () => Class, field: Common = {}): PropertyDecorator {
  return applyDecorators(ruled({ optional: optional(field), check: anObject, inner: type }), ApiProperty({ type: () => type(), ...described(field) })); // lazy only under the name `type`
}

/** A list of objects of another class. @param field `tooMany`: the code of its own that more than `maxItems` have */
export function NestedList(type: () => Class, field: ListField & { readonly tooMany?: ErrorCode }): PropertyDecorator {
  const { maxItems, tooMany } = field;
  return applyDecorators(
    ruled({ optional: optional(field), check: aList, inner: type, members: { max: maxItems, ...(tooMany ? { code: tooMany } : {}) } }),
    ApiProperty({ type: () => [type()], ...described(field), maxItems }),
  );
}

const aList: Check = (value) => (Array.isArray(value) ? undefined : 'must be a list');
const anObject: Check = (value) => (isObject(value) ? undefined : 'must be an object');

function oneOf(values: readonly string[]): Check {
  const known = new Set<unknown>(values);
  return (value) => (known.has(value) ? undefined : `must be one of ${values.join(', ')}`);
}

/** The first member that does not fit stands for all. */
const ofEach = (check: Check): Check => (value) => {
  if (!Array.isArray(value)) return 'must be a list';
  for (const [index, member] of value.entries()) {
    const problem = check(member);
    if (problem !== undefined) return `has member ${index}, which ${problem}`;
  }
  return undefined;
};

function textProblem(value: unknown, { min, max, prose }: Characters & { readonly min: number }): string | undefined {
  if (typeof value !== 'string') return 'must be a text';
  if (value.length < min || isLonger(value, max)) return `must have ${min} to ${max} characters`;
  if (prose) return holdsControlInProse(value) ? 'must hold no control characters but tabs and line breaks' : undefined;
  return holdsControl(value) ? 'must hold no control characters' : undefined;
}

/** Characters as JSON Schema counts them: one beyond the basic plane is two code units, and one character. */
const isLonger = (text: string, max: number): boolean => text.length > max && (text.length > 2 * max || [...text].length > max);
