import type { AnyEvent, ItemId, Json, JsonObject, PlanEvent, Sealed, Verdict } from '@countersign/contracts';
import { canonicalJson, sha256 } from '@countersign/kernel';
import { timeAt } from './messages.js';

export const inline = <T extends Json>(value: T): Sealed<T> => {
  const text = canonicalJson(value);
  return { digest: sha256(text), bytes: Buffer.byteLength(text), value };
};
export const blob = (text: string): Sealed<never> => ({ digest: sha256(text), bytes: text.length, store: 'BLOBS' });

/** Text that COPY must escape, and that sorts and counts differently by bytes and by characters. */
export const AWKWARD = 'tab\t newline\n return\r backslash\\ \\N end \\. quote" e\u0301 \u{1F600}';

export const opened: AnyEvent = {
  type: 'session.Opened',
  data: { agent: 'claude', profile: 'default', kind: 'chat', openedBy: 'robot', requestDigest: 'd', at: timeAt(0) },
};

export function proposed(items: readonly ItemId[], changes: { readonly description?: string; readonly input?: Sealed<JsonObject> } = {}): PlanEvent {
  return {
    type: 'plan.Proposed',
    data: {
      turnId: 'turn-1',
      requester: 'robot',
      requestDigest: 'r'.repeat(64),
      proposedAt: timeAt(1),
      saw: { session: 1, catalogue: 2 },
      profile: 'default',
      providers: { files: { version: 3, digest: 'p'.repeat(64), endpoint: { transport: 'fake' } } },
      operations: {
        'files/write_file': {
          provider: 'files', name: 'write_file', category: 'tool', kind: 'resource', risk: 'high',
          description: changes.description ?? AWKWARD, schemaDigest: 's'.repeat(64), inputSchema: inline({ type: 'object' }), previewable: true,
        },
      },
      items: items.map((itemId) => ({ itemId, callId: `call-${itemId}`, operation: 'files/write_file', input: changes.input ?? inline({ path: AWKWARD, n: 1 }) })),
      verdictDueAt: timeAt(60_000),
    },
  };
}

export const previewed = (items: readonly ItemId[]): PlanEvent => ({
  type: 'plan.Previewed',
  data: {
    items: items.map((itemId, at) => (at % 2 === 0
      ? { itemId, tree: { ...inline({ nodes: [{ type: 'text', text: AWKWARD }] }) } as never, fingerprint: 'f', tookMs: 1.25 }
      : { itemId, absent: 'timeout', tookMs: 5_000 })),
  },
});

export const evaluated = (verdicts: Readonly<Record<ItemId, Verdict>>, round = 1): PlanEvent => ({
  type: 'plan.Evaluated',
  data: {
    round,
    items: Object.entries(verdicts).map(([itemId, decision]) => ({
      itemId, decision, decidedBy: `policy:rule-${round}`, itemDigest: `digest-${itemId}`, ...(decision === 'ask' ? { expiresAt: timeAt(1_800_000) } : {}),
    })),
    bundle: { version: 1, digest: 'b'.repeat(64) },
    saw: { session: 1, catalogue: 2 },
    evaluatedAt: timeAt(2),
    engine: 'countersign-policy/1',
  },
});

export const answered = (itemId: ItemId, decision: 'approve' | 'reject', principal = 'alice'): PlanEvent => ({
  type: 'plan.ItemsAnswered',
  data: {
    answers: [{
      itemId, decision, scope: 'once', principal, answeredAt: timeAt(3), reason: AWKWARD,
      assertion: {
        claims: { tenant: 't1', plan: 'p', itemId, itemDigest: `digest-${itemId}`, decision, principal, method: 'api-key', at: timeAt(3) },
        keyId: 'k1', signature: 'c2ln',
      },
    }],
  },
});

export const expired = (items: readonly ItemId[]): PlanEvent => ({ type: 'plan.ItemsExpired', data: { items, at: timeAt(4) } });
export const closed = (reason: 'policy_unavailable' | 'cancelled' | 'session_ended'): PlanEvent => ({ type: 'plan.Closed', data: { reason, by: 'planner', at: timeAt(5) } });

export const started = (items: readonly ItemId[], attempt = 1): PlanEvent => ({
  type: 'plan.ApplyStarted',
  data: {
    attempts: items.map((itemId) => ({ itemId, attempt, fence: attempt, idempotencyKey: `key-${itemId}` })),
    lease: { stream: 'GATE', sequence: 3, executor: 'executor-1' },
    startedAt: timeAt(6),
  },
});

export const outcome = (itemId: ItemId, result: 'applied' | 'failed' | 'skipped' | 'indeterminate', attempt = 1): PlanEvent => ({
  type: 'plan.Outcomes',
  data: {
    outcomes: [{
      itemId, attempt, outcome: result, startedAt: timeAt(6), endedAt: timeAt(7),
      ...(result === 'applied' ? { result: inline({ text: AWKWARD }) } : { error: { category: 'timeout', message: 'no answer', retryable: false } }),
    }],
  },
});

/** The whole life of a plan in which a person answers. */
export const life = (items: readonly ItemId[]): PlanEvent[] => [
  proposed(items), previewed(items), evaluated(Object.fromEntries(items.map((id) => [id, 'ask' as const]))),
  ...items.map((id) => answered(id, 'approve')), started(items), ...items.map((id) => outcome(id, 'applied')),
];

/** One event for the outcomes of several items, as the executor writes them. */
export const outcomesOf = (items: readonly ItemId[]): PlanEvent => ({
  type: 'plan.Outcomes',
  data: { outcomes: items.map((itemId) => ({ itemId, attempt: 1, outcome: 'applied', startedAt: timeAt(6), endedAt: timeAt(7), result: inline({ text: 'written' }) })) },
});
