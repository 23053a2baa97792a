import type { Json, JsonObject } from '@countersign/contracts';
import { GateError, isGateError } from '@countersign/kernel';
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
/** Objects and arrays of one schema: what its compiler makes of them grows faster than they do, and ends on the stack. */
const MOST_NODES = 4_000;
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
const OPTIONS = { strict: false, inlineRefs: false, logger: false } as const;
/** Only for asking whether a schema is one: they never keep what they are shown. */
const ASKING = { ...OPTIONS, addUsedSchema: false } as const;
const metaCheckers: Record<Draft, Ajv> = { 'draft-07': new Ajv(ASKING), '2020-12': new Ajv2020(ASKING) };
/** For the one schema of a compiler. It keeps that, or the schema's `#` would lead nowhere. */
const OWN = { ...OPTIONS, meta: false, validateSchema: false } as const;

/**
 * Makes the check of one JSON Schema, draft 2020-12 (also when it does not say) or draft-07, formats included. Each schema
 * has a compiler of its own, so no `$id` of one provider can reach into another's.
 * @throws GateError PROVIDER_INVALID when it is no schema, refers outside of itself, refers to itself without end, is too large, or takes
 * too long to build at its registration; UNAVAILABLE when it takes too long later
 */
export function compileSchema(schema: JsonObject, at: keyof typeof BUILDING = 'registration'): SchemaCheck {
  const shape = shapeOf(schema);
  if (shape.tooDeep) throw invalid('it is nested too deeply');
  if (shape.nodes > MOST_NODES) throw invalid(`it has ${shape.nodes} objects and arrays; at most ${MOST_NODES} can be compiled`);
  if (shape.async) throw invalid('asynchronous schemas are not taken');
  const draft = draftOf(schema);
  const built = inTime(BUILDING[at].ms, () => build(schema, draft));
  if ('overdue' in built) throw invalid('it takes too long to compile', BUILDING[at].late);
  const check = checkBy(built.done, shape.costly);
  const stuck = at === 'registration' ? stuckOnNothing(check) : undefined;
  if (stuck) throw invalid(stuck);
  return check;
}

/** A schema whose parts refer to each other in a circle has no end whatever it is shown, so it is found out with what has no content. */
function stuckOnNothing(check: SchemaCheck): string | undefined {
  const found = check({}, 0);
  return found && isUnusable(found) ? found.problem : undefined;
}

function draftOf(schema: JsonObject): Draft {
  const { $schema = 'https://json-schema.org/draft/2020-12/schema' } = schema;
  const known = typeof $schema === 'string' ? $schema.replace(/#$/, '') : '';
  if (!Object.hasOwn(DRAFTS, known)) throw invalid('its $schema is neither draft-07 nor 2020-12');
  return DRAFTS[known]!;
}

/** A stack that is full anywhere on the way is the schema's doing as well. */
function inTime<T>(timeoutMs: number, work: () => T): ReturnType<typeof withinTime<T>> {
  try {
    return withinTime(timeoutMs, work);
  } catch (error) {
    throw isGateError(error) ? error : invalid('it cannot be compiled');
  }
}

function build(schema: JsonObject, draft: Draft): ValidateFunction {
  const checker = metaCheckers[draft];
  try {
    if (!checker.validateSchema(schema)) throw new Error(checker.errorsText(checker.errors, { dataVar: 'schema' }));
    const own = draft === 'draft-07' ? new Ajv(OWN) : new Ajv2020(OWN);
    addFormats.default(own);
    return own.compile(schema);
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : 'it does not compile');
  }
}

const OVERDUE: SchemaProblem = { pointer: '', problem: `checking it took longer than ${CHECK_MS} ms` };
const NOT_EVALUATED: SchemaProblem = { pointer: '', problem: 'its schema cannot be evaluated' };
const isUnusable = (found: SchemaProblem): boolean => found === OVERDUE || found === NOT_EVALUATED;

function checkBy(validate: ValidateFunction, costly: boolean): SchemaCheck {
  return (value, bytes) => {
    if (shapeOf(value).tooDeep) return { pointer: '', problem: 'it is nested too deeply' };
    try {
      const checked = costly || bytes > LARGE_VALUE_BYTES ? checkedInTime(() => validate(value)) : { done: validate(value) };
      if ('overdue' in checked) return OVERDUE;
      return checked.done === true ? undefined : problemOf(validate.errors?.[0]);
    } catch {
      // whatever a stranger's schema makes of a stranger's value (a reference in a circle ends on the stack) is no fault of ours
      return NOT_EVALUATED;
    }
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
