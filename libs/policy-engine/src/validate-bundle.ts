import { LIMITS, POLICY_BUNDLE_SCHEMA, holdsControl, holdsControlInProse, type PolicyBundle, type PolicyRule } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { durationMs } from './duration.js';

const validate = new Ajv2020({ strict: true }).compile<PolicyBundle>(POLICY_BUNDLE_SCHEMA);

/**
 * The bundle, if it has the published shape and every rule its own id. Nothing is coerced or filled in.
 * @throws GateError POLICY_INVALID with `details.path` (a JSON pointer) and what is wrong there
 */
export function validateBundle(candidate: unknown): PolicyBundle {
  if (!validate(candidate)) throw invalid(validate.errors?.[0]);
  const places = new Map<string, number>();
  candidate.rules.forEach((rule, index) => {
    checkTexts(rule, `/rules/${index}`);
    checkAsk(rule, `/rules/${index}/ask`);
    const before = places.get(rule.id);
    if (before !== undefined) throw refused(`/rules/${index}/id`, `rule ${before} has the id ${rule.id} too`);
    places.set(rule.id, index);
  });
  for (const profile of Object.keys(candidate.profiles ?? {})) checkName(`/profiles/${pointerToken(profile)}`, profile);
  return candidate;
}

function checkTexts({ match, profile, when = '', message = '', ask }: PolicyRule, path: string): void {
  for (const [name, text] of Object.entries(match)) checkName(`${path}/match/${name}`, text);
  if (profile !== undefined) checkName(`${path}/profile`, profile);
  ask?.roles?.forEach((role, index) => checkName(`${path}/ask/roles/${index}`, role));
  for (const [field, text] of [['when', when], ['message', message]] as const) {
    refuseHalves(`${path}/${field}`, text);
    if (holdsControlInProse(text)) throw refused(`${path}/${field}`, `a ${field === 'when' ? 'condition' : 'message'} holds no control characters but tabs and line breaks`);
  }
}

function checkName(path: string, name: string): void {
  refuseHalves(path, name);
  if (holdsControl(name)) throw refused(path, 'no name holds a control character');
}

function checkAsk({ action, ask }: PolicyRule, path: string): void {
  if (ask === undefined) return;
  if (action !== 'ask') throw refused(path, `only a rule with action ask demands anything of people; this one says ${action}`);
  if (ask.expires_in !== undefined && durationMs(ask.expires_in) > LIMITS.askExpiryMaxMs) throw refused(`${path}/expires_in`, `at most ${LIMITS.askExpiryMaxMs / 86_400_000}d`);
}

function invalid(error: ErrorObject | undefined): GateError {
  const path = error?.instancePath ?? '';
  const params = error?.params as { additionalProperty?: string; allowedValues?: readonly string[] } | undefined;
  if (params?.additionalProperty !== undefined) return refused(`${path}/${pointerToken(params.additionalProperty)}`, 'no such field');
  if (params?.allowedValues) return refused(path, `must be one of ${params.allowedValues.join(', ')}`);
  if (error?.keyword === 'not') return refused(path, path.endsWith('/match') ? 'risk and risk_at_least exclude each other' : 'this id is taken by the defaults');
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
