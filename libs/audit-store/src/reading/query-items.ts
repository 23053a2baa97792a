import type { AuditItemQuery, AuditItemRow, AuditPage } from '@countersign/contracts';
import type { DataSource } from 'typeorm';
import { checkpointsOf } from '../checkpoints.js';
import { asTenant } from '../data-source.js';
import { encodeCursor } from './cursor.js';
import { applyFilters, pageStart, questionOf, rowsAsked } from './filters.js';
import { ItemStateEntity } from './item-state.entity.js';

const FILTERS = ['session', 'requester', 'provider', 'operation', 'decision', 'risk'] as const;

/** A tenant's items, newest plan first and each plan's items from its last, with what the facts say of them now. @throws GateError INVALID_REQUEST, CURSOR_INVALID */
export async function queryItems(reader: DataSource, tenant: string, query: AuditItemQuery): Promise<AuditPage<AuditItemRow>> {
  const rows = rowsAsked(query);
  const question = questionOf('items', tenant, query);
  const start = pageStart(query, question);
  return asTenant(reader, tenant, async (manager) => {
    const builder = manager.createQueryBuilder(ItemStateEntity, 'r').where('r.tenant = :tenant', { tenant });
    applyFilters(builder, query, FILTERS);
    if (start) builder.andWhere('(r.sequence, r.ordinal) < (:sequence, :ordinal)', { ...start });
    const found = await builder.orderBy('r.sequence', 'DESC').addOrderBy('r.ordinal', 'DESC').limit(rows + 1).getMany();
    const page = found.slice(0, rows);
    const last = page.at(-1);
    return {
      rows: page.map(rowOf),
      ...(last && found.length > rows ? { nextCursor: encodeCursor({ sequence: last.sequence, ordinal: last.ordinal }, question) } : {}),
      reflects: (await checkpointsOf(manager)).GATE,
    };
  });
}

const rowOf = (item: ItemStateEntity): AuditItemRow => ({
  planId: item.planId,
  itemId: item.itemId,
  callId: item.callId,
  provider: item.provider,
  operation: item.operation,
  kind: item.kind,
  risk: item.risk,
  description: item.description,
  category: item.category,
  inputDigest: item.inputDigest,
  decision: item.decision,
  ...(item.decidedBy === null ? {} : { decidedBy: item.decidedBy }),
  ...(item.answeredBy === null ? {} : { answeredBy: item.answeredBy }),
  ...(item.answer === null ? {} : { answer: item.answer }),
  ...(item.outcome === null ? {} : { outcome: item.outcome }),
});
