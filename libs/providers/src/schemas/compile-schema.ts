import type { Json, JsonObject } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { default as addFormats } from 'ajv-formats';
import { shapeOf } from './json-shape.js';
import { withinTime } from './within-time.js';

/**
 * Building the check of one schema: a stranger's when it is registered; later one that was built in time before, so that what takes
 * longer is this machine's trouble and passes.
 */
const BUILDING = { registration: { ms: 1_000, late: 'PROVIDER_INVALID' }, use: { ms: 5_000, late: 'UNAVAILABLE' } } as const;
/** The clock does not know whether a check is slow or the machine is busy, so it is given twice. */
const CHECK_TRIES = 2;
/** One check of one value. Longer: it counts as not fitting. */
export const CHECK_MS = 100;
/** Values above this are checked against the clock whatever their schema says. */
const LARGE_VALUE_BYTES = 64 * 1024;

export interface SchemaProblem {
  /** JSON pointer into the value. */
  readonly pointer: string;
  readonly problem: string;
}

/**
 * The first thing in which a value (an input, or a provider's result) does not fit; undefined when it fits. Names places,
 * never content, and never changes the value. @param bytes of the value as JSON text
 */
export type SchemaCheck = (value: Json, bytes: number) => SchemaProblem | undefined;

type Draft = 'draft-07' | '2020-12';
const DRAFTS: Readonly<Record<string, Draft>> = {
  'http://json-schema.org/draft-07/schema': 'draft-07',
  'https://json-schema.org/draft/2020-12/schema': '2020-12',
};

// unknown keywords are legal JSON Schema and common in the wild; nothing is coerced, filled in or fetched
const OPTIONS = { strict: false, inlineRefs: false, addUsedSchema: false, logger: false } as const;
/** Only for asking whether a schema is one: they never keep what they are shown. */
const metaCheckers: Record<Draft, Ajv> = { 'draft-07': new Ajv(OPTIONS), '2020-12': new Ajv2020(OPTIONS) };

/**
 * Makes the check of one JSON Schema, draft 2020-12 (also when it does not say) or draft-07, formats included. Each schema
 * has a compiler of its own, so no `$id` of one provider can reach into another's.
 * @throws GateError PROVIDER_INVALID when it is no schema, refers outside of itself, or takes too long to build at its registration;
 * UNAVAILABLE when it takes too long later
 */
export function compileSchema(schema: JsonObject, at: keyof typeof BUILDING = 'registration'): SchemaCheck {
  const shape = shapeOf(schema);
  if (shape.tooDeep) throw invalid('it is nested too deeply');
  if (shape.async) throw invalid('asynchronous schemas are not taken');
  const draft = draftOf(schema);
  const built = withinTime(BUILDING[at].ms, () => build(schema, draft));
  if ('overdue' in built) throw invalid('it takes too long to compile', BUILDING[at].late);
  return checkBy(built.done, shape.costly);
}

function draftOf(schema: JsonObject): Draft {
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = schema;
  const known = typeof $schema === 'string' ? $schema.replace(/#$/, '') : '';
  if (!Object.hasOwn(DRAFTS, known)) throw invalid('its $schema is neither draft-07 nor 2020-12');
  return DRAFTS[known]!;
}

function build(schema: JsonObject, draft: Draft): ValidateFunction {
  const checker = metaCheckers[draft];
  try {
    if (!checker.validateSchema(schema)) throw new Error(checker.errorsText(checker.errors, { dataVar: 'schema' }));
    const own = draft === 'draft-07' ? new Ajv({ ...OPTIONS, meta: false, validateSchema: false }) : new Ajv2020({ ...OPTIONS, meta: false, validateSchema: false });
    addFormats.default(own);
    return own.compile(schema);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'it does not compile');
  }
}

function checkBy(validate: ValidateFunction, costly: boolean): SchemaCheck {
  return (value, bytes) => {
    if (shapeOf(value).tooDeep) return { pointer: '', problem: 'it is nested too deeply' };
    const checked = costly || bytes > LARGE_VALUE_BYTES ? checkedInTime(() => validate(value)) : { done: validate(value) };
    if ('overdue' in checked) return { pointer: '', problem: `checking it took longer than ${CHECK_MS} ms` };
    return checked.done === true ? undefined : problemOf(validate.errors?.[0]);
  };
}

function checkedInTime(check: () => unknown): ReturnType<typeof withinTime<unknown>> {
  for (let tries = 1; ; tries += 1) {
    const checked = withinTime(CHECK_MS, check);
    if ('done' in checked || tries === CHECK_TRIES) return checked;
  }
}

function problemOf(error: ErrorObject | undefined): SchemaProblem {
  const params = error?.params as { additionalProperty?: string } | undefined;
  const what = params?.additionalProperty === undefined ? '' : ` (${params.additionalProperty.slice(0, 80)})`;
  return { pointer: error?.instancePath ?? '', problem: `${error?.message ?? 'does not fit'}${what}` };
}

const invalid = (why: string, code: 'PROVIDER_INVALID' | 'UNAVAILABLE' = 'PROVIDER_INVALID'): GateError =>
  new GateError(code, `The JSON Schema cannot be used: ${why.slice(0, 300)}`);
