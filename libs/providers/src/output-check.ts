import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { LIMITS, type Json, type JsonObject } from '@countersign/contracts';
import { digestOf } from '@countersign/kernel';

/** Says why a value does not fit its schema, or nothing when it does. */
export type SchemaCheck = (value: Json) => string | undefined;

// ajv-formats is CommonJS; which of the two its import gives depends on who loads it
const addFormats = 'default' in addFormatsModule ? addFormatsModule.default : addFormatsModule;

/** Validators by the digest of their schema; the oldest go first, so that many providers cannot fill the memory. */
const CACHED = 500;

/**
 * Checks values against the schema in a plan's snapshot. A schema that cannot be used (a remote reference, a
 * misspelt type) fits nothing: what cannot be checked is not passed on.
 * The errors name places in the value, never its content.
 */
export function createSchemaChecks(): { check(schema: JsonObject, value: Json): string | undefined } {
  const compiled = new Map<string, SchemaCheck>();
  return {
    check(schema, value) {
      const key = digestOf(schema);
      let check = compiled.get(key);
      if (!check) {
        check = compile(schema);
        if (compiled.size >= CACHED) compiled.delete(compiled.keys().next().value!);
        compiled.set(key, check);
      }
      return check(value);
    },
  };
}

function compile(schema: JsonObject): SchemaCheck {
  let validate: ValidateFunction;
  try {
    // one instance a schema: a shared one keeps every `$id` and refuses the second schema that has it
    validate = newAjv(schema).compile(schema as AnySchemaObject);
  } catch {
    return () => 'the schema in the plan cannot be used';
  }
  return (value) => (validate(value) ? undefined : describeErrors(validate));
}

function newAjv(schema: JsonObject): Ajv | Ajv2020 {
  const options = { strict: false, allErrors: false, messages: true, logger: false } as const;
  const ajv = String(schema['$schema'] ?? '').includes('draft-07') ? new Ajv(options) : new Ajv2020(options);
  addFormats(ajv as never);
  return ajv;
}

function describeErrors(validate: ValidateFunction): string {
  const text = (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message ?? error.keyword}`).join('; ');
  return text.slice(0, LIMITS.reasonChars);
}
