import { LIMITS, POLICY_BUNDLE_SCHEMA, holdsControl, holdsControlInProse, type PolicyBundle } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';

const validate = new Ajv2020({ strict: true }).compile<PolicyBundle>(POLICY_BUNDLE_SCHEMA);

/**
 * The bundle, if it has the published shape and every rule its own id. Nothing is coerced or filled in.
 * @throws GateError POLICY_INVALID with `details.path` (a JSON pointer) and what is wrong there
 */
export function validateBundle(candidate: unknown): PolicyBundle {
  if (!validate(candidate)) throw invalid(validate.errors?.[0]);
  const places = new Map<string, number>();
  candidate.rules.forEach(({ id, match, message = '' }, index) => {
    for (const [name, text] of Object.entries(match)) {
      refuseHalves(`/rules/${index}/match/${name}`, text);
      if (holdsControl(text)) throw refused(`/rules/${index}/match/${name}`, 'no name holds a control character');
    }
    refuseHalves(`/rules/${index}/message`, message);
    if (holdsControlInProse(message)) throw refused(`/rules/${index}/message`, 'a message holds no control characters but tabs and line breaks');
    const before = places.get(id);
    if (before !== undefined) throw refused(`/rules/${index}/id`, `rule ${before} has the id ${id} too`);
    places.set(id, index);
  });
  return candidate;
}

function invalid(error: ErrorObject | undefined): GateError {
  const path = error?.instancePath ?? '';
  const params = error?.params as { additionalProperty?: string; allowedValues?: readonly string[] } | undefined;
  if (params?.additionalProperty !== undefined) return refused(`${path}/${pointerToken(params.additionalProperty)}`, 'no such field');
  if (params?.allowedValues) return refused(path, `must be one of ${params.allowedValues.join(', ')}`);
  if (error?.keyword === 'not') return refused(path, 'this id is taken by the defaults');
  return refused(path, error?.message ?? 'not a bundle');
}

/** Two halves make a character together, and one cannot be written down: not in UTF-8, so not in the log. */
function refuseHalves(path: string, text: string): void {
  if (!text.isWellFormed()) throw refused(path, 'half of a surrogate pair');
}

/** @param name the author's own, so only its beginning */
const pointerToken = (name: string): string => name.slice(0, LIMITS.nameChars).replaceAll('~', '~0').replaceAll('/', '~1');

export function refused(path: string, problem: string): GateError {
  return new GateError('POLICY_INVALID', `The bundle is refused at ${path === '' ? 'its top' : path}: ${problem}`, { path, problem });
}
