import { LIMITS } from '../limits.js';
import { OneOf, Text } from './fields.js';

export const NARROW_KINDS = ['exact_input', 'path_prefix', 'host'] as const;
export type NarrowKind = (typeof NARROW_KINDS)[number];

/** SHA-256, lower-case hex. */
export const DIGEST_PATTERN = /^[0-9a-f]{64}$/;
const POINTER_PATTERN = /^(?:\/(?:[^~/]|~[01])*)+$/;

/** A condition that narrows a grant. Which fields must be there depends on `kind`; the edge refuses what does not belong to it. */
export class NarrowBody {
  @OneOf(NARROW_KINDS)
  kind!: NarrowKind;

  @Text({ optional: true, max: 64, pattern: DIGEST_PATTERN, description: 'exact_input: SHA-256 of the canonical arguments (`inputDigest` of the item)' })
  inputDigest?: string;

  @Text({ optional: true, max: 400, pattern: POINTER_PATTERN, description: 'path_prefix, host: JSON pointer into the arguments', example: '/path' })
  field?: string;

  @Text({ optional: true, max: LIMITS.reasonChars, description: 'path_prefix: compared by whole segments of the normalised path' })
  prefix?: string;

  @Text({ optional: true, max: 253, description: 'host: of a URL' })
  host?: string;
}
