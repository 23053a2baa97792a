import type { GrantNarrow } from '@countersign/contracts';

/** What is covered, and for how long. */
export interface Covered {
  readonly provider: string;
  readonly operation: string;
  readonly narrow?: GrantNarrow;
  readonly within: { readonly session: true } | { readonly profile: string; readonly expiresAt?: string };
}

/** In words that a person confirms (`SEMANTICS` § 3, breadth): "every write_file of provider files in this session". */
export function coversInWords({ provider, operation, narrow, within }: Covered): string {
  const what = `${operation} of provider ${provider}`;
  return narrow ? `${narrowed(what, narrow)}, ${reachOf(within)}` : `every ${what} ${reachOf(within)}`;
}

function narrowed(what: string, narrow: GrantNarrow): string {
  switch (narrow.kind) {
    case 'exact_input': return `${what} with exactly these arguments`;
    case 'path_prefix': return `every ${what} whose ${narrow.field} is in ${narrow.prefix}`;
    case 'host': return `every ${what} whose ${narrow.field} is at the host ${narrow.host}`;
  }
}

function reachOf(within: Covered['within']): string {
  if ('session' in within) return 'in this session';
  return `in sessions of profile ${within.profile}, ${within.expiresAt ? `until ${within.expiresAt}` : 'until it is revoked'}`;
}
