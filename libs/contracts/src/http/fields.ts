import { applyDecorators } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsObject, IsOptional, IsString, Matches, MaxLength, MinLength, ValidateNested } from 'class-validator';

/** The decorators of one request field: validation and OpenAPI from one line, so that they cannot drift apart. */
interface Common { readonly optional?: true; readonly description?: string }
interface TextField extends Common { readonly min?: number; readonly max: number; readonly pattern?: RegExp; readonly example?: string }
interface ListField extends Common { readonly maxItems: number }
type Class = new () => object;

const described = (field: Common) => ({ required: !field.optional, ...(field.description ? { description: field.description } : {}) });
const optional = (field: Common) => (field.optional ? [IsOptional()] : []);

export function Text(field: TextField): PropertyDecorator {
  const { min = 1, max, pattern, example } = field;
  return applyDecorators(
    ...optional(field), IsString(), MinLength(min), MaxLength(max), ...(pattern ? [Matches(pattern)] : []),
    ApiProperty({ type: String, minLength: min, maxLength: max, ...described(field), ...(pattern ? { pattern: pattern.source } : {}), ...(example ? { example } : {}) }),
  );
}

export function Texts(field: ListField & { readonly max: number }): PropertyDecorator {
  return applyDecorators(
    ...optional(field), IsArray(), ArrayMaxSize(field.maxItems), IsString({ each: true }), MaxLength(field.max, { each: true }),
    ApiProperty({ type: [String], maxItems: field.maxItems, ...described(field) }),
  );
}

export function OneOf(values: readonly string[], field: Common = {}): PropertyDecorator {
  return applyDecorators(...optional(field), IsIn([...values]), ApiProperty({ enum: [...values], ...described(field) }));
}

export function SomeOf(values: readonly string[], field: ListField): PropertyDecorator {
  return applyDecorators(
    ...optional(field), IsArray(), ArrayMaxSize(field.maxItems), IsIn([...values], { each: true }),
    ApiProperty({ enum: [...values], isArray: true, ...described(field) }),
  );
}

export function Flag(field: Common = {}): PropertyDecorator {
  return applyDecorators(...optional(field), IsBoolean(), ApiProperty({ type: Boolean, ...described(field) }));
}

/** A JSON object whose inside is nobody's business here. It is taken as it was parsed, never copied or converted. */
export function JsonBody(field: Common = {}): PropertyDecorator {
  const { required, ...words } = described(field);
  return applyDecorators(...optional(field), IsObject(), ApiProperty({ type: 'object', additionalProperties: true, selfRequired: required, ...words }));
}

const nestedClasses = new Map<object, Map<string, Class>>();

/** An object of another class, validated as one. */
export function Nested(type: () => Class, field: Common = {}): PropertyDecorator {
  return applyDecorators(remember(type), ...optional(field), IsObject(), ValidateNested(), ApiProperty({ type: () => type(), ...described(field) })); // lazy only under the name `type`
}

/** A list of objects of another class. How many are too many is often a refusal with a code of its own: then leave `maxItems` out. */
export function NestedList(type: () => Class, field: Common & { readonly maxItems?: number } = {}): PropertyDecorator {
  const { maxItems } = field;
  return applyDecorators(
    remember(type), ...optional(field), IsArray(), ...(maxItems ? [ArrayMaxSize(maxItems)] : []), ValidateNested({ each: true }),
    ApiProperty({ type: () => [type()], ...described(field), ...(maxItems ? { maxItems } : {}) }),
  );
}

function remember(type: () => Class): PropertyDecorator {
  return (target, property) => {
    const known = nestedClasses.get(target) ?? new Map<string, Class>();
    nestedClasses.set(target, known.set(String(property), type()));
  };
}

/**
 * A plain parsed body as an instance of its class, so that class-validator can judge it. Members are taken over as they
 * are (class-transformer would drop a member named `constructor` out of a tool's input). Validates nothing itself.
 */
export function instanceFrom<T extends object>(type: new () => T, plain: unknown): T {
  const instance = new type();
  if (typeof plain !== 'object' || plain === null) return instance;
  const nested = nestedClasses.get(type.prototype as object);
  for (const [name, value] of Object.entries(plain)) {
    const inner = nested?.get(name);
    const bound = inner === undefined ? value : Array.isArray(value) ? value.map((member) => nestedFrom(inner, member)) : nestedFrom(inner, value);
    Object.defineProperty(instance, name, { value: bound, enumerable: true, writable: true, configurable: true });
  }
  return instance;
}

const nestedFrom = (type: Class, value: unknown): unknown =>
  (typeof value === 'object' && value !== null && !Array.isArray(value) ? instanceFrom(type, value) : value);
