import { createHash } from 'node:crypto';
import {
  itemIdAt, type AnswerGrant, type ApplyAttempt, type ApplyStarted, type AnswerDecision, type AskTerms, type CloseReason, type ItemAnswer, type ItemCorrected,
  type ItemOutcome, type ItemVerdict, type ItemVote, type JsonObject, type OperationSnapshot, type PlanEvent, type PreviewResult, type Proposed, type Sealed, type Verdict,
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
export const evaluated = (...items: readonly ItemVerdict[]): PlanEvent => evaluatedIn(1, ...items);
export const evaluatedIn = (round: number, ...items: readonly ItemVerdict[]): PlanEvent => ({
  type: 'plan.Evaluated',
  data: { round, items, bundle: { version: 0, digest: 'none' }, saw: { session: 1, catalogue: 1 }, evaluatedAt: at(1), engine: 'core-1' },
});

export const terms = (change: Partial<AskTerms> = {}): AskTerms => ({ quorum: 1, onTimeout: 'deny', scopes: ['once', 'session', 'always'], ...change });

interface AnswerChange extends Partial<Pick<ItemAnswer, 'principal' | 'reason' | 'roles' | 'scope' | 'grant'>> { readonly seconds?: number }

export function answer(itemId: string, decision: AnswerDecision, change: AnswerChange = {}): ItemAnswer {
  const { principal = 'ops', reason, seconds = 10, roles, scope = 'once', grant } = change;
  const said = { itemId, decision, principal, ...(roles === undefined ? {} : { roles }), ...(reason === undefined ? {} : { reason }) };
  return {
    ...said, scope, ...(grant === undefined ? {} : { grant }), answeredAt: at(seconds),
    assertion: {
      claims: { ...said, tenant: 'acme', plan: PLAN_ID, itemDigest: `digest-of-${itemId}`, method: 'api-key', at: at(seconds) },
      keyId: 'k1', signature: 'signed',
    },
  };
}
/** The command that led to such an answer: what `answerItems` is given. @param decidedAt by the clock of whoever decides; the same as the answer's where it is not given */
export function said({ answeredAt, grant, ...answer }: ItemAnswer, { itemDigest = `digest-of-${answer.itemId}`, decidedAt = answeredAt } = {}) {
  const { narrow, expiresAt, ...reserved } = grant ?? {};
  return {
    ...answer, itemDigest, saidAt: answeredAt, decidedAt,
    ...(narrow ? { narrow } : {}), ...(expiresAt === undefined ? {} : { grantExpiresAt: expiresAt }), ...(grant ? { reserved: reserved as Pick<AnswerGrant, 'grantId' | 'reservation'> } : {}),
  };
}
export const answered = (...answers: readonly ItemAnswer[]): PlanEvent => ({ type: 'plan.ItemsAnswered', data: { answers } });

export function vote(itemId: string, principal: string, change: Omit<AnswerChange, 'principal' | 'scope' | 'grant'> & { readonly itemDigest?: string } = {}): ItemVote {
  const { itemDigest = `digest-of-${itemId}`, ...rest } = change;
  const { scope: _scope, ...said } = answer(itemId, 'approve', { principal, ...rest });
  return { ...said, decision: 'approve', itemDigest };
}
export const voted = (...votes: readonly ItemVote[]): PlanEvent => ({ type: 'plan.ItemsVoted', data: { votes } });

/** @param input the arguments from now on */
export function correction(itemId: string, input: JsonObject, change: Partial<ItemCorrected> = {}): ItemCorrected {
  const { principal = 'ops', roles = ['approver'], correctedAt = at(20), itemDigest = `digest-of-${itemId}` } = change;
  const sealed = sealedInline(input);
  return {
    itemId, correction: 1, input: sealed, itemDigest, principal, roles, correctedAt, verdictDueAt: at(80),
    assertion: {
      claims: { tenant: 'acme', plan: PLAN_ID, itemId, itemDigest, decision: 'correct', principal, method: 'api-key', at: correctedAt, roles, inputDigest: sealed.digest },
      keyId: 'k1', signature: 'signed',
    },
    ...change,
  };
}
export const corrected = (fact: ItemCorrected): PlanEvent => ({ type: 'plan.ItemCorrected', data: fact });

export const itemsExpired = (seconds: number, ...items: readonly string[]): PlanEvent => ({ type: 'plan.ItemsExpired', data: { items, at: at(seconds) } });
export const closed = (reason: CloseReason, by = 'service:planner'): PlanEvent => ({ type: 'plan.Closed', data: { reason, by, at: at(60) } });

export const LEASE: ApplyStarted['lease'] = { stream: 'GATE', sequence: 7, executor: 'executor-1' };
export const attemptAt = (itemId: string, attempt = 1, fence = attempt): ApplyAttempt => ({ itemId, attempt, fence, idempotencyKey: `key-of-${itemId}` });
export const applyStarted = (attempts: readonly ApplyAttempt[], lease = LEASE): PlanEvent =>
  ({ type: 'plan.ApplyStarted', data: { attempts, lease, startedAt: at(2) } });
export const itemOutcome = (itemId: string, outcome: ItemOutcome['outcome'], change: Partial<ItemOutcome> = {}): ItemOutcome =>
  ({ itemId, attempt: 1, outcome, startedAt: at(2), endedAt: at(3), ...change });
export const outcomes = (...facts: readonly ItemOutcome[]): PlanEvent => ({ type: 'plan.Outcomes', data: { outcomes: facts } });
