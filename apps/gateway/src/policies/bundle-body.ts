import { LIMITS, type PolicyBundle } from '@countersign/contracts';
import { LintRequest, PolicyDigestRequest } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';
import { parseBundle } from '@countersign/policy-engine';
import { withinTime } from '@countersign/providers';
import { BodyOf } from '../edge/body.js';
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
  if (Buffer.byteLength(JSON.stringify(body)) > LIMITS.policyBundleBytes) throw new GateError('POLICY_INVALID', `The bundle cannot be read: it is larger than ${LIMITS.policyBundleBytes} bytes`);
  return body as PolicyBundle;
}

function fromYaml(text: string): PolicyBundle {
  const read = withinTime(LIMITS.policyReadMs, () => parseBundle(text));
  if ('overdue' in read) throw new GateError('POLICY_INVALID', `The bundle cannot be read: it takes more than ${LIMITS.policyReadMs} ms`);
  return read.done;
}

/** A bundle, or the digest of one that was pushed. */
export type BundleGiven = { readonly bundle: PolicyBundle } | { readonly digest: string };

const byDigest = new BodyOf(PolicyDigestRequest);

/** `{ "digest": … }` names a bundle; everything else is one. @throws GateError POLICY_INVALID, INVALID_REQUEST */
export function bundleOrDigestFrom(body: unknown): BundleGiven {
  const names = typeof body === 'object' && body !== null && !(body instanceof YamlText) && Object.hasOwn(body, 'digest') && !Object.hasOwn(body, 'rules');
  return names ? { digest: byDigest.transform(body).digest } : { bundle: bundleFrom(body) };
}

/** The text itself, for whoever names line and column. @throws GateError INVALID_REQUEST */
export function bundleTextFrom(body: unknown): string {
  if (body instanceof YamlText) return body.text;
  const rules = typeof body === 'object' && body !== null && Object.hasOwn(body, 'rules');
  return rules ? JSON.stringify(body, null, 2) : new BodyOf(LintRequest).transform(body).text;
}
