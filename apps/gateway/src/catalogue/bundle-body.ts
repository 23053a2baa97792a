import { LIMITS, type PolicyBundle } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { parseBundle } from '@countersign/policy-engine';
import { withinTime } from '@countersign/providers';
import { YamlText } from '../edge/content-types.js';

/**
 * A bundle as it was sent. YAML is read here, by the engine's own strict reading; of JSON only that it is an object of a
 * bundle's size is known after this. Policy validates either whole.
 * @throws GateError POLICY_INVALID
 */
export function bundleFrom(body: unknown): PolicyBundle {
  if (body instanceof YamlText) return fromYaml(body.text);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw new GateError('POLICY_INVALID', 'A bundle is an object with `rules`');
  const { rules } = body as { readonly rules?: unknown };
  if (Array.isArray(rules) && rules.length > LIMITS.policyRules) throw new GateError('POLICY_INVALID', `A bundle has at most ${LIMITS.policyRules} rules`);
  if (Buffer.byteLength(JSON.stringify(body)) > LIMITS.eventBytes) throw new GateError('POLICY_INVALID', `The bundle cannot be read: it is larger than ${LIMITS.eventBytes} bytes`);
  return body as PolicyBundle;
}

function fromYaml(text: string): PolicyBundle {
  const read = withinTime(LIMITS.policyReadMs, () => parseBundle(text));
  if ('overdue' in read) throw new GateError('POLICY_INVALID', `The bundle cannot be read: it takes more than ${LIMITS.policyReadMs} ms`);
  return read.done;
}
