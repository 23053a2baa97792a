import type { GrantNarrow } from '@countersign/contracts';
import { CountersignError } from '@countersign/sdk';

/** `exact`, `path:<pointer>=<prefix>`, `host:<pointer>=<host>`. @throws CountersignError INVALID_REQUEST */
export function narrowFrom(text: string, inputDigest: string): GrantNarrow {
  if (text === 'exact') return { kind: 'exact_input', inputDigest };
  const [, kind, field, value] = /^(path|host):(\/[^=]*)=(.+)$/.exec(text) ?? [];
  if (kind === 'path') return { kind: 'path_prefix', field: field!, prefix: value! };
  if (kind === 'host') return { kind: 'host', field: field!, host: value! };
  throw new CountersignError('INVALID_REQUEST', 0, 'A condition is exact, path:<pointer>=<prefix> or host:<pointer>=<host>, e.g. path:/path=/docs');
}
