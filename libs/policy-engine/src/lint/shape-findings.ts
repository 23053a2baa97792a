import { LIMITS, POLICY_BUNDLE_SCHEMA } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import { validateBundle } from '../validate-bundle.js';
import { didYouMean } from './did-you-mean.js';
import type { Report } from './report.js';

const validateAll = new Ajv2020({ strict: true, allErrors: true }).compile(POLICY_BUNDLE_SCHEMA);
/** What says of its parts what they say themselves. */
const COLLECTIVE = new Set(['anyOf', 'oneOf', 'propertyNames']);
const { properties: { rules: { items: RULE } } } = POLICY_BUNDLE_SCHEMA;

/** Fields that a bundle, a rule, its match or its duties may have. */
function fieldsAt(path: string): string[] {
  const last = path.split('/').at(-1);
  const fields = path === '' ? POLICY_BUNDLE_SCHEMA.properties : last === 'match' ? RULE.properties.match.properties : last === 'ask' ? RULE.properties.ask.properties : RULE.properties;
  return Object.keys(fields);
}

/** Reports everything that is wrong with the shape; true when nothing is. */
export function shapeIsSound(candidate: unknown, report: Report): boolean {
  if (!validateAll(candidate)) {
    for (const error of (validateAll.errors ?? []).filter(({ keyword }) => !COLLECTIVE.has(keyword)).slice(0, LIMITS.lintFindings)) reportShape(error, report);
    if (report.size === 0) report.error('invalid', '', 'It is not a bundle', 'See the published schema.');
    return false;
  }
  try {
    validateBundle(candidate);
    return true;
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    const { path, problem } = error.details as { path: string; problem: string };
    report.error('invalid', path, problem, path.endsWith('/id') ? 'Give every rule an id of its own.' : 'Correct the value.');
    return false;
  }
}

function reportShape({ instancePath: path, params, message, keyword }: ErrorObject, report: Report): void {
  const { additionalProperty, allowedValues, missingProperty } = params as { additionalProperty?: string; allowedValues?: readonly string[]; missingProperty?: string };
  if (additionalProperty !== undefined) {
    const shown = additionalProperty.slice(0, LIMITS.nameChars);
    const near = didYouMean(shown, fieldsAt(path));
    report.error('unknown_field', `${path}/${shown.replaceAll('~', '~0').replaceAll('/', '~1')}`, `There is no field ${shown} here`,
      near ? `Did you mean ${near}?` : `Known here: ${fieldsAt(path).join(', ')}.`, { key: true });
  } else if (allowedValues) {
    report.error('invalid', path, `It must be one of ${allowedValues.join(', ')}`, 'Choose one of them.');
  } else if (missingProperty !== undefined) {
    report.error('invalid', path, `The field ${missingProperty} is missing`, `Add ${missingProperty}.`);
  } else if (keyword === 'not') {
    const match = path.endsWith('/match');
    report.error('invalid', path, match ? 'risk and risk_at_least exclude each other' : 'This id is taken by the defaults', match ? 'Keep one of the two.' : 'Choose another id.');
  } else {
    report.error('invalid', path, `It ${message ?? 'does not fit'}`, 'Correct the value.');
  }
}
