import type { ItemId, ItemVerdict, ItemAnswer, PlanEvent, StoredEvent, WebhookEvent } from '@countersign/contracts';
import type { ItemState, PlanState } from '@countersign/domain-plan';
import { cut, fitting } from './bounded.js';
import type { Links } from './links.js';
import { NOTICE_TYPE, type Notice, type NoticeItem } from './notice.js';

/** Which notice an event of a plan is worth; undefined: none. Told by the event alone, before its plan is looked up. */
export function planNoticeOf(event: PlanEvent): Exclude<WebhookEvent, 'tripped'> | undefined {
  if (event.type === 'plan.Evaluated') return event.data.items.some(({ decision }) => decision === 'ask') ? 'asked' : undefined;
  if (event.type === 'plan.ItemsAnswered') return 'answered';
  return event.type === 'plan.ItemsExpired' ? 'expired' : undefined;
}

/** One notice an event, with all its items. @param plan folded up to the event or further; only what never changes is taken from it */
export function planNotice(event: StoredEvent<PlanEvent>, kind: Exclude<WebhookEvent, 'tripped'>, plan: PlanState, links: Links): Notice {
  const planId = event.key.id;
  const about = (itemId: ItemId, said: Partial<NoticeItem>): NoticeItem => ({ itemId, ...operationOf(plan.items.get(itemId)), ...said, links: links.item(planId, itemId) });
  return {
    type: NOTICE_TYPE[kind],
    timestamp: event.time,
    data: { tenant: event.key.tenant, session: event.key.session, plan: planId, links: links.plan(planId), ...fitting(saidIn(event, about)) },
  };
}

function saidIn(event: PlanEvent, about: (itemId: ItemId, said: Partial<NoticeItem>) => NoticeItem): NoticeItem[] {
  switch (event.type) {
    case 'plan.Evaluated':
      return event.data.items.filter(({ decision }) => decision === 'ask').map((verdict) => about(verdict.itemId, asked(verdict)));
    case 'plan.ItemsAnswered':
      return event.data.answers.map((answer) => about(answer.itemId, answered(answer)));
    case 'plan.ItemsExpired':
      return event.data.items.map((itemId) => about(itemId, { decision: 'deny', decidedBy: 'expired' }));
    default:
      return [];
  }
}

const asked = ({ decidedBy, message, itemDigest, expiresAt }: ItemVerdict): Partial<NoticeItem> =>
  ({ decidedBy, ...(message === undefined ? {} : { message: cut(message) }), itemDigest, ...(expiresAt === undefined ? {} : { expiresAt }) });

const answered = ({ decision, principal, reason, assertion }: ItemAnswer): Partial<NoticeItem> =>
  ({ decision, decidedBy: `person:${principal}`, ...(reason === undefined ? {} : { message: cut(reason) }), itemDigest: assertion.claims.itemDigest });

function operationOf(item: ItemState | undefined): Partial<NoticeItem> {
  if (!item) return {};
  const { provider, name, risk, description } = item.operation;
  return { provider, operation: name, risk, ...(description ? { description: cut(description) } : {}) };
}
