import type { AskTerms, ItemId, ItemVerdict, JsonObject, PlanEvent, Sealed, SessionEvent } from '@countersign/contracts';
import { inline } from './plan-facts.js';
import { timeAt } from './messages.js';

export const terms = (change: Partial<AskTerms> = {}): AskTerms => ({ quorum: 1, onTimeout: 'deny', scopes: ['once', 'session', 'always'], ...change });

/** As today's policy judges: with layers, terms, a shadow and what a subscriber said. */
export const judged = (items: Readonly<Record<ItemId, Partial<ItemVerdict>>>, round = 1): PlanEvent => ({
  type: 'plan.Evaluated',
  data: {
    round, bundle: { version: 2, digest: 'b'.repeat(64) }, guardrails: { version: 1, digest: 'g'.repeat(64) }, shadow: { digest: 's'.repeat(64) },
    vetoes: Object.keys(items).map((itemId) => ({ subscriber: 'dlp', itemId, says: 'pass', tookMs: 12.5 })),
    saw: { session: 1, catalogue: 2 }, evaluatedAt: timeAt(2), engine: 'layers-1',
    items: Object.entries(items).map(([itemId, change]) => ({
      itemId, decision: 'ask', decidedBy: 'policy:writes', itemDigest: `digest-${itemId}-${round}`, terms: terms(), expiresAt: timeAt(1_800_000),
      layers: [{ layer: 'policy', says: 'ask', by: 'policy:writes' }], shadow: { decision: 'deny', decidedBy: 'policy:strict' }, ...change,
    })),
  },
});

const assertion = (itemId: ItemId, principal: string, decision: 'approve' | 'correct') => ({
  claims: { tenant: 't1', plan: 'p', itemId, itemDigest: `digest-${itemId}`, decision, principal, method: 'api-key' as const, at: timeAt(3) }, keyId: 'k1', signature: 'c2ln',
});

export const voted = (itemId: ItemId, principal: string, round = 1): PlanEvent => ({
  type: 'plan.ItemsVoted',
  data: { votes: [{ itemId, itemDigest: `digest-${itemId}-${round}`, decision: 'approve', principal, roles: ['approver', 'security'], answeredAt: timeAt(3), assertion: assertion(itemId, principal, 'approve') }] },
});

export const corrected = (itemId: ItemId, correction = 1, input: Sealed<JsonObject> = inline({ path: 'corrected', n: correction })): PlanEvent => ({
  type: 'plan.ItemCorrected',
  data: {
    itemId, correction, input, itemDigest: `digest-${itemId}-${correction}`, principal: 'alice', roles: ['approver'], reason: 'better so', correctedAt: timeAt(4), verdictDueAt: timeAt(64_000),
    assertion: assertion(itemId, 'alice', 'correct'),
  },
});

export const sessionFacts: readonly SessionEvent[] = [
  { type: 'session.Granted', data: { grant: { grantId: 'g1', provider: 'files', operation: 'write_file', decision: 'allow', narrow: { kind: 'path_prefix', field: '/path', prefix: '/a' }, by: 'alice', origin: { plan: 'p', itemId: 'i1' }, at: timeAt(5) } } },
  { type: 'session.GrantRevoked', data: { grantId: 'g1', by: 'alice', at: timeAt(6) } },
  { type: 'session.LimitReached', data: { cause: 'circuit_breaker', detail: '5 denials in a row', items: [{ plan: 'p', itemId: 'i1' }], endsAt: timeAt(300_000), at: timeAt(7) } },
];

/** Proposed, asked of two, corrected, asked again, and approved by two. @param proposal `plan.Proposed` of `itemId` */
export const decided = (itemId: ItemId): PlanEvent[] => [
  judged({ [itemId]: { terms: terms({ quorum: 2, roles: ['security'] }) } }), corrected(itemId), judged({ [itemId]: { terms: terms({ quorum: 2 }) } }, 2), voted(itemId, 'alice', 2),
];
