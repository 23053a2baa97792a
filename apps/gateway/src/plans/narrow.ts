import type { GrantNarrow } from '@countersign/contracts';
import type { NarrowBody } from '@countersign/contracts/http';
import { GateError } from '@countersign/kernel';

const FIELDS_OF = { exact_input: ['inputDigest'], path_prefix: ['field', 'prefix'], host: ['field', 'host'] } as const;

/**
 * A condition with exactly the fields of its kind. Whether it covers the very call it is given for is policy's to say.
 * @throws GateError INVALID_REQUEST
 */
export function narrowFrom(body: NarrowBody): GrantNarrow {
  const given: Readonly<Record<string, string | undefined>> = { inputDigest: body.inputDigest, field: body.field, prefix: body.prefix, host: body.host };
  const wanted: readonly string[] = FIELDS_OF[body.kind];
  for (const [name, value] of Object.entries(given)) {
    if (wanted.includes(name) !== (value !== undefined && value !== null)) throw new GateError('INVALID_REQUEST', `narrow of kind ${body.kind} has ${wanted.join(' and ')}, and nothing else`);
  }
  return Object.fromEntries([['kind', body.kind], ...wanted.map((name) => [name, given[name]])]) as GrantNarrow;
}
