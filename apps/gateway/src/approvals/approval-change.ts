import { NO_SESSION, type PlanEvent, type StoredEvent } from '@countersign/contracts';
import type { ApprovalChange, ApprovalChangeItem, ApprovalChangeView } from '@countersign/contracts/http';
import type { StreamedEvent } from '../stream/event-streaming.js';

/** What an event of the log means for the queue; `nothing` when it changes nothing there. */
export function approvalChange(event: StoredEvent): StreamedEvent | 'nothing' {
  const change = changeOf(event as StoredEvent<PlanEvent>);
  if (!change) return 'nothing';
  const { key, sequence, time } = event;
  const data: ApprovalChangeView = {
    change: change.name, planId: key.id, ...(key.session === NO_SESSION ? {} : { sessionId: key.session }), sequence, at: time,
    ...(change.items ? { items: change.items } : {}),
  };
  return { name: change.name, data };
}

interface Change { readonly name: ApprovalChange; readonly items?: ApprovalChangeItem[] }

function changeOf(event: StoredEvent<PlanEvent>): Change | undefined {
  switch (event.type) {
    case 'plan.Evaluated': return asked(event.data.items);
    case 'plan.ItemsVoted': return { name: 'voted', items: event.data.votes.map(({ itemId, itemDigest, principal }) => ({ itemId, itemDigest, principal })) };
    case 'plan.ItemCorrected': return { name: 'corrected', items: [{ itemId: event.data.itemId, principal: event.data.principal }] };
    case 'plan.ItemsAnswered': return { name: 'answered', items: event.data.answers.map(({ itemId, principal, decision }) => ({ itemId, principal, decision })) };
    case 'plan.ItemsExpired': return { name: 'expired', items: event.data.items.map((itemId) => ({ itemId })) };
    case 'plan.Closed': return { name: 'closed' };
    default: return undefined;
  }
}

function asked(verdicts: Extract<PlanEvent, { type: 'plan.Evaluated' }>['data']['items']): Change | undefined {
  const items = verdicts.filter(({ decision }) => decision === 'ask').map(({ itemId, itemDigest }) => ({ itemId, itemDigest }));
  return items.length === 0 ? undefined : { name: 'asked', items };
}
