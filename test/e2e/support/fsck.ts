import { setTimeout as sleep } from 'node:timers/promises';
import type { EventView, PlanView } from '@countersign/contracts/http';
import { rebuildAudit, type CountersignClient } from '@countersign/sdk';

export interface FsckReport { readonly plans: number; readonly problems: readonly string[] }

/** Holds every plan's events of a tenant against the gate's laws, and the database against the log. */
export async function fsck(client: CountersignClient, operator: CountersignClient): Promise<FsckReport> {
  await untilAuditHasAll(operator);
  const rows = (await client.auditPlans({ limit: 200 })).rows;
  const problems: string[] = [];
  for (const { planId } of rows) {
    const [plan, { events }] = await Promise.all([client.plan(planId), client.planEvents(planId)]);
    problems.push(...lawsOf(plan, events).map((problem) => `${planId}: ${problem}`));
  }
  const report = await rebuildAudit(operator);
  if (!report.identical) problems.push(`the database differs from the log: ${JSON.stringify(report.tables.filter((table) => table.digest !== table.rebuiltDigest))}`);
  return { plans: rows.length, problems };
}

interface Facts { readonly itemId: string; readonly decision?: string; readonly outcome?: string }
const factsOf = (event: EventView, name: string): readonly Facts[] => ((event.data as Record<string, unknown>)[name] as Facts[] | undefined) ?? [];

function lawsOf(plan: PlanView, events: readonly EventView[]): string[] {
  const problems: string[] = [];
  events.forEach((event, index) => {
    if (event.rev !== index + 1) problems.push(`revision ${event.rev} stands at place ${index + 1}`);
  });
  const allowed = new Set<string>();
  const settled = new Set<string>();
  for (const event of events) {
    for (const fact of event.type === 'plan.Evaluated' ? factsOf(event, 'items') : []) if (fact.decision === 'allow') allowed.add(fact.itemId);
    for (const fact of event.type === 'plan.ItemsAnswered' ? factsOf(event, 'answers') : []) if (fact.decision === 'approve') allowed.add(fact.itemId);
    for (const fact of event.type === 'plan.ApplyStarted' ? factsOf(event, 'attempts') : []) if (!allowed.has(fact.itemId)) problems.push(`${fact.itemId} was started and not allowed`);
    for (const fact of event.type === 'plan.Outcomes' ? factsOf(event, 'outcomes') : []) {
      if (!allowed.has(fact.itemId)) problems.push(`${fact.itemId} has an outcome and was not allowed`);
      if (settled.has(fact.itemId)) problems.push(`${fact.itemId} has two final outcomes`);
      if (fact.outcome !== 'indeterminate') settled.add(fact.itemId);
    }
  }
  if (plan.status === 'settled' && plan.items.some((item) => item.outcome === undefined)) problems.push('settled without an outcome for each item');
  return problems;
}

async function untilAuditHasAll(operator: CountersignClient): Promise<void> {
  for (;;) {
    const { checkpoints } = await operator.wholeAuditStatus();
    if (Object.values(checkpoints).every((one) => one.sequence >= one.logSequence)) return;
    await sleep(50);
  }
}
