import { createHash } from 'node:crypto';
import {
  itemIdAt, type ApplyAttempt, type ApplyStarted, type AnswerDecision, type CloseReason, type ItemAnswer, type ItemOutcome, type ItemVerdict,
  type JsonObject, type OperationSnapshot, type PlanEvent, type PreviewResult, type Proposed, type Sealed, type Verdict,
} from '@countersign/contracts';
import { canonicalJson } from '@countersign/kernel';

/** Facts of one plan, short to write and whole in their fields. Only for specs. */

export const PLAN_ID = 's00000000aa-p00000000bb';
export const T0 = '2026-03-01T10:00:00.000Z';
/** @param seconds after T0 */
export const at = (seconds: number): string => new Date(Date.parse(T0) + seconds * 1_000).toISOString();

export function sealedInline<T>(value: T): Sealed<T> {
  const text = canonicalJson(value);
  return { digest: createHash('sha256').update(text).digest('hex'), bytes: Buffer.byteLength(text), value };
}

const schema = sealedInline<JsonObject>({ type: 'object' });

export function operation(name: string, change: Partial<OperationSnapshot> = {}): OperationSnapshot {
  return {
    provider: 'files', name, category: 'tool', kind: 'resource', risk: 'moderate', description: `does ${name}`,
    schemaDigest: `schema-of-${name}`, inputSchema: schema, ...change,
  };
}

export const OPERATIONS: Readonly<Record<string, OperationSnapshot>> = {
  'files/read': operation('read', { kind: 'data_source', risk: 'read_only' }),
  'files/write': operation('write'),
  'files/edit': operation('edit', { previewable: true, reconcilable: true }),
  'files/put': operation('put', { enforcesKey: true }),
  'files/question': operation('question', { kind: 'interactive', risk: 'read_only' }),
};

/** @param names operations of provider `files`, in plan order: i1, i2, … */
export function proposed(names: readonly string[], change: Partial<Proposed> = {}): PlanEvent {
  return {
    type: 'plan.Proposed',
    data: {
      turnId: 't1', requester: 'agent', requestDigest: 'request', proposedAt: T0, saw: { session: 1, catalogue: 1 }, profile: 'default',
      providers: { files: { version: 1, digest: 'catalogue', endpoint: { transport: 'fake' } } },
      operations: OPERATIONS,
      items: names.map((name, index) => ({ itemId: itemIdAt(index), callId: `c${index + 1}`, operation: `files/${name}`, input: sealedInline<JsonObject>({ n: index }) })),
      verdictDueAt: at(60), ...change,
    },
  };
}

export const previewed = (...items: readonly PreviewResult[]): PlanEvent => ({ type: 'plan.Previewed', data: { items } });
export const previewTree = (itemId: string, text = 'what would happen', fingerprint = 'print'): PreviewResult =>
  ({ itemId, tree: sealedInline({ nodes: [{ type: 'text', text }] }), fingerprint, tookMs: 1 });

export const verdict = (itemId: string, decision: Verdict, change: Partial<ItemVerdict> = {}): ItemVerdict => ({
  itemId, decision, decidedBy: 'policy:default', itemDigest: `digest-of-${itemId}`, ...(decision === 'ask' ? { expiresAt: at(1_800) } : {}), ...change,
});
export const evaluated = (...items: readonly ItemVerdict[]): PlanEvent => ({
  type: 'plan.Evaluated',
  data: { round: 1, items, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: at(1), engine: 'core-1' },
});

export function answer(itemId: string, decision: AnswerDecision, change: { principal?: string; reason?: string; seconds?: number } = {}): ItemAnswer {
  const { principal = 'ops', reason, seconds = 10 } = change;
  const said = { itemId, decision, principal, ...(reason === undefined ? {} : { reason }) };
  return {
    ...said, scope: 'once', answeredAt: at(seconds),
    assertion: {
      claims: { ...said, tenant: 'acme', plan: PLAN_ID, itemDigest: `digest-of-${itemId}`, method: 'api-key', at: at(seconds) },
      keyId: 'k1', signature: 'signed',
    },
  };
}
export const answered = (...answers: readonly ItemAnswer[]): PlanEvent => ({ type: 'plan.ItemsAnswered', data: { answers } });
export const itemsExpired = (seconds: number, ...items: readonly string[]): PlanEvent => ({ type: 'plan.ItemsExpired', data: { items, at: at(seconds) } });
export const closed = (reason: CloseReason, by = 'service:planner'): PlanEvent => ({ type: 'plan.Closed', data: { reason, by, at: at(60) } });

export const LEASE: ApplyStarted['lease'] = { stream: 'GATE', sequence: 7, executor: 'executor-1' };
export const attemptAt = (itemId: string, attempt = 1, fence = attempt): ApplyAttempt => ({ itemId, attempt, fence, idempotencyKey: `key-of-${itemId}` });
export const applyStarted = (attempts: readonly ApplyAttempt[], lease = LEASE): PlanEvent =>
  ({ type: 'plan.ApplyStarted', data: { attempts, lease, startedAt: at(2) } });
export const itemOutcome = (itemId: string, outcome: ItemOutcome['outcome'], change: Partial<ItemOutcome> = {}): ItemOutcome =>
  ({ itemId, attempt: 1, outcome, startedAt: at(2), endedAt: at(3), ...change });
export const outcomes = (...facts: readonly ItemOutcome[]): PlanEvent => ({ type: 'plan.Outcomes', data: { outcomes: facts } });
