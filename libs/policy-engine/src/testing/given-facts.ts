import type { Json } from '@countersign/contracts';
import { digestOf } from '@countersign/kernel';
import type { ItemFacts } from '../facts.js';

/** What a case states of an item; the rest is a plain session in mode `default`. */
export interface GivenFacts {
  readonly item: Pick<ItemFacts['item'], 'kind' | 'provider' | 'name' | 'risk'> & Partial<ItemFacts['item']>;
  readonly input?: Json;
  /** Not at hand, not an empty one. */
  readonly noInput?: true;
  readonly session?: Partial<ItemFacts['session']>;
  readonly tenant?: Partial<ItemFacts['tenant']>;
  readonly frozenBy?: string;
  readonly vetoes?: ItemFacts['vetoes'];
  readonly now?: string;
}

export function factsOf({ item, input = {}, noInput, session, tenant, frozenBy, vetoes, now }: GivenFacts): ItemFacts {
  return {
    item: { category: 'tool', ...item },
    input: noInput ? undefined : input,
    inputDigest: digestOf(input),
    session: {
      id: 's1', agent: 'coder', profile: 'default', kind: 'chat', permissionMode: 'default', openedBy: 'ci', openedAt: '2026-01-01T00:00:00.000Z', ended: false, grants: [], ...session,
    },
    tenant: { id: 'acme', bypassPermissions: false, ...tenant },
    ...(frozenBy === undefined ? {} : { frozenBy }), ...(vetoes === undefined ? {} : { vetoes }),
    now: now ?? '2026-01-02T12:00:00.000Z',
  };
}
