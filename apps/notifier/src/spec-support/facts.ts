import { planKey, sessionKey, tenantKey, type AnyEvent, type AggregateKey, type PlanEvent, type SessionEvent, type StoredEvent, type TenantEvent, type Webhook } from '@countersign/contracts';
import { InMemoryBroker, InMemoryEventLog } from '@countersign/event-log';
import { planFacts } from '@countersign/testkit';

export const { PLAN_ID, T0 } = planFacts;
export const SESSION = PLAN_ID.slice(0, PLAN_ID.indexOf('-p'));
const META = { actor: 'service:planner', correlationId: 'r1' };

export const webhook = (change: Partial<Webhook> = {}): Webhook =>
  ({ name: 'ops', url: 'https://hooks.example/in', events: ['asked', 'answered', 'expired', 'tripped'], format: 'standard', secretVersion: 1, ...change });

/** A log in memory that holds what the notifier is told of. */
export class Facts {
  readonly broker = new InMemoryBroker();
  readonly log = new InMemoryEventLog('notifier', this.broker);
  private readonly planner = new InMemoryEventLog('planner', this.broker);
  private readonly policy = new InMemoryEventLog('policy', this.broker);

  tenant(event: TenantEvent, tenant = 'acme'): Promise<StoredEvent> {
    return this.append(this.planner, tenantKey(tenant), event);
  }

  async registered(...webhooks: readonly Webhook[]): Promise<void> {
    await this.tenant({ type: 'tenant.Registered', data: { name: 'Acme', localProcesses: true, keys: [], at: T0 } });
    for (const one of webhooks) await this.tenant({ type: 'tenant.WebhookRegistered', data: { webhook: one, by: 'ada', at: T0 } });
  }

  plan(event: PlanEvent): Promise<StoredEvent<PlanEvent>> {
    return this.append(event.type === 'plan.Evaluated' ? this.policy : this.planner, planKey('acme', PLAN_ID), event) as Promise<StoredEvent<PlanEvent>>;
  }

  session(event: SessionEvent): Promise<StoredEvent<SessionEvent>> {
    return this.append(this.planner, sessionKey('acme', SESSION), event) as Promise<StoredEvent<SessionEvent>>;
  }

  private async append(log: InMemoryEventLog, key: AggregateKey, event: AnyEvent): Promise<StoredEvent> {
    await log.append(key, await log.end(key), { ...event, meta: META });
    return [...this.broker.all('GATE'), ...this.broker.all('CATALOG')].filter((stored) => stored.type === event.type && stored.key.id === key.id).at(-1)!;
  }
}
