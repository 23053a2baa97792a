import { outboxSubject, type PlanEvent, type SessionEvent, type StoredEvent, type Webhook, type WebhookEvent } from '@countersign/contracts';
import type { PlanState } from '@countersign/domain-plan';
import type { AggregateStore } from '@countersign/event-log';
import { faultPoint } from '@countersign/fault-points';
import type { Links } from './notices/links.js';
import type { Notice } from './notices/notice.js';
import { planNotice, planNoticeOf } from './notices/plan-notices.js';
import { tripNotice } from './notices/session-notices.js';
import type { Outbox } from './ports.js';
import type { Webhooks } from './webhooks.js';

/** Puts what happened into the outbox, once for each webhook that wants to know. */
export class Notify {
  constructor(
    private readonly webhooks: Webhooks,
    private readonly plans: Pick<AggregateStore<PlanState, PlanEvent>, 'get'>,
    private readonly outbox: Outbox,
    private readonly links: Links,
  ) {}

  /** @throws GateError UNAVAILABLE: some of the deliveries may be in the outbox; doing it again adds the rest */
  async plan(event: StoredEvent<PlanEvent>): Promise<void> {
    const kind = planNoticeOf(event);
    if (kind === undefined) return;
    await this.tell(event, kind, async () => {
      const { state } = await this.plans.get(event.key, event.sequence);
      return planNotice(event, kind, state, this.links);
    });
  }

  /** @throws GateError UNAVAILABLE, as above */
  async session(event: StoredEvent<SessionEvent>): Promise<void> {
    if (event.type !== 'session.LimitReached') return;
    const { data } = event;
    await this.tell(event, 'tripped', async () => tripNotice(event, data, this.links));
  }

  private async tell(event: StoredEvent, kind: WebhookEvent, noticeOf: () => Promise<Notice>): Promise<void> {
    const wanting = await this.wanting(event, kind);
    if (wanting.length === 0) return;
    const body = JSON.stringify(await noticeOf());
    await faultPoint('notifier.before-outbox');
    const { key: { tenant }, stream, sequence } = event;
    await Promise.all(wanting.map(({ name }) => this.outbox.put(outboxSubject({ tenant, webhook: name, stream, sequence }), body)));
  }

  private async wanting({ key }: StoredEvent, kind: WebhookEvent): Promise<Webhook[]> {
    const { webhooks } = await this.webhooks.of(key.tenant);
    return [...webhooks.values()].filter(({ events }) => events.includes(kind));
  }
}
