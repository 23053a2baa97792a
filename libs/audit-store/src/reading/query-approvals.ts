import type { ApprovalQuery, ApprovalRow, AskTerms, AuditPage } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { DataSource } from 'typeorm';
import { checkpointsOf } from '../checkpoints.js';
import { asTenant } from '../data-source.js';
import { decodeCursor, encodeCursor } from './cursor.js';
import { instant, plainText, questionOf, rowsAsked } from './filters.js';

/** `ask` verdicts that nothing came after and that can still be answered. Only few of all there ever were: the index on their expiry finds them. */
const OPEN_ASKS = `
  SELECT v.sequence, v.ordinal, v.plan_id, v.item_id, v.session, v.decided_by, v.message, v.item_digest, v.terms, v.evaluated_at, v.expires_at,
    i.call_id, i.requester, i.provider, i.operation, i.risk, i.description, s.agent,
    coalesce((SELECT k.input_digest FROM item_corrections k
              WHERE k.tenant = v.tenant AND k.plan_id = v.plan_id AND k.item_id = v.item_id ORDER BY k.sequence DESC LIMIT 1), i.input_digest) AS input_digest,
    (SELECT count(DISTINCT o.principal)::int FROM item_votes o
     WHERE o.tenant = v.tenant AND o.plan_id = v.plan_id AND o.item_id = v.item_id AND o.item_digest = v.item_digest) AS approvals
  FROM item_verdicts v
  JOIN plan_items i ON i.tenant = v.tenant AND i.plan_id = v.plan_id AND i.item_id = v.item_id
  LEFT JOIN sessions s ON s.tenant = v.tenant AND s.session = v.session
  WHERE v.tenant = $1 AND v.decision = 'ask' AND (v.expires_at IS NULL OR v.expires_at > $2) AND (v.sequence, v.ordinal) > ($3, $4)
    AND NOT EXISTS (SELECT 1 FROM item_verdicts x WHERE x.tenant = v.tenant AND x.plan_id = v.plan_id AND x.item_id = v.item_id AND x.sequence > v.sequence)
    AND NOT EXISTS (SELECT 1 FROM item_corrections x WHERE x.tenant = v.tenant AND x.plan_id = v.plan_id AND x.item_id = v.item_id AND x.sequence > v.sequence)
    AND NOT EXISTS (SELECT 1 FROM item_answers x WHERE x.tenant = v.tenant AND x.plan_id = v.plan_id AND x.item_id = v.item_id)
    AND NOT EXISTS (SELECT 1 FROM item_expiries x WHERE x.tenant = v.tenant AND x.plan_id = v.plan_id AND x.item_id = v.item_id)
    AND NOT EXISTS (SELECT 1 FROM plan_closings x WHERE x.tenant = v.tenant AND x.plan_id = v.plan_id)`;

const EQUAL = { provider: 'i.provider', operation: 'i.operation', risk: 'i.risk', session: 'v.session', agent: 's.agent' } as const;

/**
 * A tenant's items that wait for a person, longest waiting first. A page goes on behind the last ask it showed, so what is answered or
 * asked meanwhile moves nothing.
 * @param now what has expired by then is left out, whether its expiry is written yet or not
 * @throws GateError INVALID_REQUEST, CURSOR_INVALID
 */
export async function queryApprovals(reader: DataSource, tenant: string, query: ApprovalQuery, now: Date): Promise<AuditPage<ApprovalRow>> {
  const rows = rowsAsked(query);
  const question = questionOf('approvals', tenant, query);
  const start = query.cursor === undefined ? { sequence: 0, ordinal: 0 } : decodeCursor(query.cursor, question);
  const { conditions, values } = filtersOf(query, [tenant, now, start.sequence, start.ordinal]);
  return asTenant(reader, tenant, async (manager) => {
    const found = (await manager.query(`${OPEN_ASKS} ${conditions} ORDER BY v.sequence, v.ordinal LIMIT ${rows + 1}`, values)) as OpenAsk[];
    const page = found.slice(0, rows);
    const last = page.at(-1);
    return {
      rows: page.map(rowOf),
      ...(last && found.length > rows ? { nextCursor: encodeCursor({ sequence: Number(last.sequence), ordinal: last.ordinal }, question) } : {}),
      reflects: (await checkpointsOf(manager)).GATE,
    };
  });
}

/** @param values what the statement has as parameters already */
function filtersOf(query: ApprovalQuery, values: unknown[]): { readonly conditions: string; readonly values: readonly unknown[] } {
  const conditions: string[] = [];
  const add = (value: unknown, condition: (place: string) => string): void => {
    values.push(value);
    conditions.push(`AND ${condition(`$${values.length}`)}`);
  };
  for (const [field, column] of Object.entries(EQUAL)) {
    const value = query[field as keyof typeof EQUAL];
    if (value !== undefined) add(plainText(value, field), (place) => `${column} = ${place}`);
  }
  if (query.askedBefore !== undefined) add(instant(query.askedBefore, 'askedBefore'), (place) => `v.evaluated_at <= ${place}`);
  if (query.roles !== undefined) {
    // an ask that names no role is every approver's
    add(rolesOf(query.roles), (place) => `(v.terms IS NULL OR v.terms::jsonb -> 'roles' IS NULL OR v.terms::jsonb -> 'roles' ?| ${place}::text[])`);
  }
  return { conditions: conditions.join(' '), values };
}

function rolesOf(roles: unknown): readonly string[] {
  if (!Array.isArray(roles)) throw new GateError('INVALID_REQUEST', 'roles is a list');
  return roles.map((role) => plainText(role, 'roles'));
}

interface OpenAsk {
  sequence: string; ordinal: number; plan_id: string; item_id: string; session: string; decided_by: string; message: string | null; item_digest: string; terms: string | null;
  evaluated_at: Date; expires_at: Date | null; call_id: string; requester: string; provider: string; operation: string; risk: string; description: string; agent: string | null;
  input_digest: string; approvals: number;
}

function rowOf(ask: OpenAsk): ApprovalRow {
  const { roles, quorum = 1 } = (ask.terms === null ? {} : JSON.parse(ask.terms)) as Partial<AskTerms>;
  return {
    planId: ask.plan_id, itemId: ask.item_id, sessionId: ask.session, ...(ask.agent === null ? {} : { agent: ask.agent }), requester: ask.requester,
    callId: ask.call_id, provider: ask.provider, operation: ask.operation, risk: ask.risk, description: ask.description,
    decidedBy: ask.decided_by, ...(ask.message === null ? {} : { message: ask.message }), itemDigest: ask.item_digest, inputDigest: ask.input_digest,
    askedAt: ask.evaluated_at.toISOString(), ...(ask.expires_at === null ? {} : { expiresAt: ask.expires_at.toISOString() }),
    ...(roles === undefined ? {} : { roles }), quorum, approvals: ask.approvals, sequence: Number(ask.sequence),
  };
}
