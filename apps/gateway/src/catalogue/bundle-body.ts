import { parseDocument } from 'yaml';
import type { PolicyBundle } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { YamlText } from '../edge/content-types.js';
import { refuseUnspeakable } from '../edge/json-body.js';

/** More than any bundle needs, and too few to blow one up. */
const ALIASES = 50;

/**
 * A bundle as it was sent. Only that it is an object is known after this: policy validates it whole and names what is wrong.
 * @throws GateError POLICY_INVALID
 */
export function bundleFrom(body: unknown): PolicyBundle {
  const bundle = body instanceof YamlText ? fromYaml(body.text) : body;
  if (typeof bundle !== 'object' || bundle === null || Array.isArray(bundle)) throw new GateError('POLICY_INVALID', 'A bundle is an object with `rules`');
  return bundle as PolicyBundle;
}

function fromYaml(text: string): unknown {
  const document = parseDocument(text, { schema: 'core', uniqueKeys: true, prettyErrors: true, logLevel: 'silent' });
  const error = document.errors[0];
  if (error) throw new GateError('POLICY_INVALID', `The YAML cannot be read: ${error.message.split('\n', 1)[0]}`);
  const value = plain(() => document.toJS({ maxAliasCount: ALIASES }) as unknown);
  refuseUnspeakable(value);
  return value;
}

function plain(read: () => unknown): unknown {
  try {
    return read();
  } catch {
    throw new GateError('POLICY_INVALID', 'The YAML uses aliases in a way that cannot be expanded');
  }
}
