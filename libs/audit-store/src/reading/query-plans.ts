import type { AuditPage, AuditPlanQuery, AuditPlanRow } from '@countersign/contracts';
import type { DataSource } from 'typeorm';
import { asTenant } from '../data-source.js';
import { checkpointsOf } from '../checkpoints.js';
import { encodeCursor } from './cursor.js';
import { applyFilters, pageStart, questionOf, rowsAsked } from './filters.js';
import { PlanEntity } from './plan.entity.js';

/** A tenant's plans, newest first. @throws GateError INVALID_REQUEST, CURSOR_INVALID */
export async function queryPlans(reader: DataSource, tenant: string, query: AuditPlanQuery): Promise<AuditPage<AuditPlanRow>> {
  const rows = rowsAsked(query);
  const question = questionOf('plans', tenant, query);
  const start = pageStart(query, question);
  return asTenant(reader, tenant, async (manager) => {
    // The tenant stands in the condition as well, so that the index is used; row-level security holds without it.
    const builder = manager.createQueryBuilder(PlanEntity, 'r').where('r.tenant = :tenant', { tenant });
    applyFilters(builder, query, ['session', 'requester']);
    if (start) builder.andWhere('r.sequence < :sequence', { sequence: start.sequence });
    const found = await builder.orderBy('r.sequence', 'DESC').limit(rows + 1).getMany();
    const page = found.slice(0, rows);
    const last = page.at(-1);
    return {
      rows: page.map(rowOf),
      ...(last && found.length > rows ? { nextCursor: encodeCursor({ sequence: last.sequence, ordinal: 0 }, question) } : {}),
      reflects: (await checkpointsOf(manager)).GATE,
    };
  });
}

const rowOf = (plan: PlanEntity): AuditPlanRow => ({
  planId: plan.planId,
  sessionId: plan.session,
  turnId: plan.turnId,
  requester: plan.requester,
  proposedAt: plan.proposedAt.toISOString(),
  items: plan.items,
  sequence: plan.sequence,
});
