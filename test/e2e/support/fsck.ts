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

interface Terms { readonly quorum?: number; readonly roles?: readonly string[]; readonly requireReason?: true }
interface Facts {
  readonly itemId: string; readonly decision?: string; readonly outcome?: string; readonly principal?: string; readonly terms?: Terms; readonly itemDigest?: string;
  readonly roles?: readonly string[]; readonly reason?: string;
}
const factsOf = (event: EventView, name: string): readonly Facts[] => ((event.data as Record<string, unknown>)[name] as Facts[] | undefined) ?? [];

/** What the events of a plan say of one item, told again without the gate's own fold. */
interface ItemTale { allowed: boolean; asked?: Facts; voters: Set<string>; settled: boolean }

function lawsOf(plan: PlanView, events: readonly EventView[]): string[] {
  const problems: string[] = [];
  events.forEach((event, index) => {
    if (event.rev !== index + 1) problems.push(`revision ${event.rev} stands at place ${index + 1}`);
  });
  const tales = new Map<string, ItemTale>(plan.items.map(({ itemId }) => [itemId, { allowed: false, voters: new Set<string>(), settled: false }]));
  for (const event of events) problems.push(...brokenBy(event, tales));
  if (plan.status === 'settled' && plan.items.some((item) => item.outcome === undefined)) problems.push('settled without an outcome for each item');
  return problems;
}

function brokenBy(event: EventView, tales: ReadonlyMap<string, ItemTale>): string[] {
  const problems: string[] = [];
  const each = (name: string, look: (tale: ItemTale, fact: Facts) => string | undefined): void => {
    for (const fact of factsOf(event, name)) {
      const problem = look(tales.get(fact.itemId)!, fact);
      if (problem) problems.push(`${fact.itemId} ${problem}`);
    }
  };
  switch (event.type) {
    case 'plan.Evaluated': each('items', judged); break;
    case 'plan.ItemsVoted': each('votes', voted); break;
    case 'plan.ItemsAnswered': each('answers', answered); break;
    case 'plan.ItemCorrected': corrected(tales.get((event.data as unknown as Facts).itemId)!); break;
    case 'plan.ApplyStarted': each('attempts', ({ allowed }) => (allowed ? undefined : 'was started and not allowed')); break;
    case 'plan.Outcomes': each('outcomes', settled); break;
    default:
  }
  return problems;
}

function judged(tale: ItemTale, fact: Facts): undefined {
  if (fact.decision === 'allow') tale.allowed = true;
  if (fact.decision === 'ask') {
    tale.asked = fact;
    tale.voters.clear();
  }
}

/** What was allowed or asked before was of other arguments. */
function corrected(tale: ItemTale): void {
  delete tale.asked;
  tale.allowed = false;
  tale.voters.clear();
}

function voted(tale: ItemTale, { principal, itemDigest }: Facts): string | undefined {
  if (itemDigest !== tale.asked?.itemDigest) return 'has a vote for another digest than was asked about';
  if (tale.voters.has(principal!)) return `has two votes of ${principal}`;
  tale.voters.add(principal!);
  return undefined;
}

function answered(tale: ItemTale, { decision, principal, roles = [], reason }: Facts): string | undefined {
  const { quorum = 1, roles: wanted, requireReason } = tale.asked?.terms ?? {};
  if (!tale.asked) return 'was answered and not asked';
  if (wanted && !wanted.some((role) => roles.includes(role))) return `was answered by ${principal}, who has none of the roles`;
  if (requireReason && !reason) return 'was answered without the reason that was demanded';
  if (decision !== 'approve') return undefined;
  tale.voters.add(principal!);
  if (tale.voters.size < quorum) return `was approved by ${tale.voters.size} of ${quorum}`;
  tale.allowed = true;
  return undefined;
}

function settled(tale: ItemTale, { outcome }: Facts): string | undefined {
  if (!tale.allowed) return 'has an outcome and was not allowed';
  if (tale.settled) return 'has two final outcomes';
  tale.settled = outcome !== 'indeterminate';
  return undefined;
}

async function untilAuditHasAll(operator: CountersignClient): Promise<void> {
  for (;;) {
    const { checkpoints } = await operator.wholeAuditStatus();
    if (Object.values(checkpoints).every((one) => one.sequence >= one.logSequence)) return;
    await sleep(50);
  }
}
