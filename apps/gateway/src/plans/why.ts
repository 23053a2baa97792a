import type { ItemId, PlanEvent, StoredEvent } from '@countersign/contracts';
import type { WaitView, WaitsFor, WhyView } from '@countersign/contracts/http';
import { decisionOf, isPreviewable, isSettled, openAttemptOf, outcomeOf, planFold, previewsDueAt, type ItemState, type PlanState } from '@countersign/domain-plan';

interface Wait { readonly waitsFor: WaitsFor; readonly what: string; readonly until?: string }

/** What a plan waits for and since when, read from its events alone: an item waits since the event that made it wait. */
export function whyOf(planId: string, events: readonly StoredEvent<PlanEvent>[]): WhyView {
  let plan: PlanState = planFold.initial;
  const since = new Map<ItemId, { readonly wait: Wait; readonly time: string }>();
  for (const event of events) {
    plan = planFold.evolve(plan, event);
    for (const item of plan.items.values()) {
      const wait = waitOf(plan, item);
      if (!wait) since.delete(item.itemId);
      else if (since.get(item.itemId)?.wait.waitsFor !== wait.waitsFor) since.set(item.itemId, { wait, time: event.time });
    }
  }
  return { planId, status: isSettled(plan) ? 'settled' : 'open', sequence: events.at(-1)?.sequence ?? 0, waits: grouped(since) };
}

function waitOf(plan: PlanState, item: ItemState): Wait | undefined {
  if (outcomeOf(item) !== undefined) return undefined;
  switch (decisionOf(item).decision) {
    case 'pending': return isPreviewable(item) && !item.preview ? previewWait(plan) : { waitsFor: 'policy', what: 'A verdict of policy', until: item.corrections.at(-1)?.verdictDueAt ?? plan.proposed!.verdictDueAt };
    case 'ask': return { waitsFor: 'person', what: 'An answer of a person with the role approver', ...(item.verdict?.expiresAt ? { until: item.verdict.expiresAt } : {}) };
    default: return openAttemptOf(item)
      ? { waitsFor: 'provider', what: `The answer of provider ${item.operation.provider}` }
      : { waitsFor: 'executor', what: 'The executor, to call the provider and to write the outcome' };
  }
}

function previewWait(plan: PlanState): Wait {
  const due = previewsDueAt(plan);
  return { waitsFor: 'preview-fanout', what: 'The preview; without it policy judges at `until`', ...(due ? { until: due.toISOString() } : {}) };
}

function grouped(since: ReadonlyMap<ItemId, { wait: Wait; time: string }>): WaitView[] {
  const groups = new Map<string, WaitView>();
  for (const [itemId, { wait, time }] of since) {
    const name = JSON.stringify([wait, time]);
    const group = groups.get(name) ?? { itemIds: [], waitsFor: wait.waitsFor, what: wait.what, since: time, ...(wait.until === undefined ? {} : { until: wait.until }) };
    group.itemIds.push(itemId);
    groups.set(name, group);
  }
  return [...groups.values()];
}
