import { Module, type DynamicModule, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { ApprovalsController } from './approvals/approvals.controller.js';
import { AuditController } from './audit/audit.controller.js';
import { GateKeeper } from './auth/gate-keeper.js';
import { KeyRing } from './auth/key-ring.js';
import { AuditLag } from './bounds/audit-lag.js';
import { TenantBounds } from './bounds/tenant-bounds.js';
import { Aggregates } from './catalogue/aggregates.js';
import { KeysController } from './catalogue/keys.controller.js';
import { ProviderReader } from './catalogue/provider-reader.js';
import { ProvidersController } from './catalogue/providers.controller.js';
import { TenantsController } from './catalogue/tenants.controller.js';
import { Commanding } from './edge/commanding.js';
import { Lifetime } from './edge/lifetime.js';
import { GrantReader } from './grants/grant-reader.js';
import { GrantsController } from './grants/grants.controller.js';
import { DeadLetterDesk } from './operations/dead-letter-desk.js';
import { DeadLettersController } from './operations/dead-letters.controller.js';
import { OperatorController } from './operations/operator.controller.js';
import { Answering } from './plans/answering.js';
import { AnswerSigner } from './plans/assertion.js';
import { Correcting } from './plans/correcting.js';
import { DecisionsController } from './plans/decisions.controller.js';
import { PlanReader } from './plans/plan-reader.js';
import { PlanWaiter } from './plans/plan-waiter.js';
import { PlansController } from './plans/plans.controller.js';
import { Proposing } from './plans/propose.js';
import { PoliciesController } from './policies/policies.controller.js';
import { PolicyChecksController } from './policies/policy-checks.controller.js';
import { PolicyReader } from './policies/policy-reader.js';
import { ShadowController } from './policies/shadow.controller.js';
import type { GatewayParts } from './ports.js';
import { SessionReader } from './sessions/session-reader.js';
import { SessionsController } from './sessions/sessions.controller.js';
import { EndpointSecrets } from './settings/endpoint-secrets.js';
import { FreezeController } from './settings/freeze.controller.js';
import { SettingsController } from './settings/settings.controller.js';
import { SubscribersController } from './settings/subscribers.controller.js';
import { WebhooksController } from './settings/webhooks.controller.js';
import { EventStreaming } from './stream/event-streaming.js';
import { EventsController } from './stream/events.controller.js';
import { Metrics } from './system/metrics.js';
import { OpenApi } from './system/openapi.js';
import { ReadinessProbe } from './system/readiness.js';
import { SystemController } from './system/system.controller.js';

/** Runs with the application: before it listens, and when nothing of it runs any more. */
export interface PartsLifecycle {
  start(): Promise<void>;
  stop(): void;
}

class Parts implements OnApplicationShutdown {
  constructor(private readonly keys: KeyRing, private readonly lifecycle: PartsLifecycle) {}

  onApplicationShutdown(): void {
    this.keys.close();
    this.lifecycle.stop();
  }
}

@Module({})
export class GatewayModule {
  static register(parts: GatewayParts, lifecycle: PartsLifecycle): DynamicModule {
    return {
      module: GatewayModule,
      controllers: [
        SystemController, TenantsController, KeysController, SessionsController, PlansController, DecisionsController,
        ProvidersController, PoliciesController, ShadowController, PolicyChecksController, GrantsController, ApprovalsController, SettingsController, SubscribersController, WebhooksController, FreezeController,
        AuditController, DeadLettersController, OperatorController, EventsController,
      ],
      providers: [...edgeProviders(parts), ...showing(parts), ...acting(parts), ...system(parts), {
        provide: Parts,
        inject: [KeyRing],
        useFactory: async (keys: KeyRing) => {
          await lifecycle.start();
          return new Parts(keys, lifecycle);
        },
      }],
    };
  }
}

const edgeProviders = ({ config, feed, commands, limits }: GatewayParts): Provider[] => [
  { provide: TenantBounds, useFactory: () => new TenantBounds(limits) },
  { provide: AuditLag, useFactory: () => new AuditLag(commands) },
  { provide: Lifetime, useFactory: () => new Lifetime() },
  { provide: KeyRing, inject: [Aggregates], useFactory: (aggregates: Aggregates) => new KeyRing(aggregates.tenants, feed) },
  { provide: GateKeeper, inject: [KeyRing], useFactory: (keys: KeyRing) => new GateKeeper(keys, config.operatorKeyHash) },
];

const showing = ({ log, blobs, feed, history, logger }: GatewayParts): Provider[] => [
  { provide: Aggregates, useFactory: () => new Aggregates(log) },
  { provide: SessionReader, inject: [Aggregates], useFactory: (aggregates: Aggregates) => new SessionReader(aggregates) },
  { provide: ProviderReader, inject: [Aggregates], useFactory: (aggregates: Aggregates) => new ProviderReader(aggregates, log, history) },
  { provide: PlanWaiter, inject: [Aggregates], useFactory: (aggregates: Aggregates) => new PlanWaiter(aggregates.plans, feed) },
  { provide: PlanReader, inject: [Aggregates, PlanWaiter], useFactory: (aggregates: Aggregates, waiter: PlanWaiter) => new PlanReader(aggregates.plans, waiter, log, blobs) },
  { provide: PolicyReader, useFactory: () => new PolicyReader(log, blobs) },
  { provide: GrantReader, inject: [Commanding], useFactory: (commanding: Commanding) => new GrantReader(commanding, log, history) },
  { provide: EventStreaming, inject: [KeyRing], useFactory: (keys: KeyRing) => new EventStreaming({ log, history, feed }, keys, logger) },
];

const acting = ({ commands, config, blobs, deadLetters, endpointSecret, now }: GatewayParts): Provider[] => [
  { provide: Commanding, useFactory: () => new Commanding(commands, now) },
  { provide: AnswerSigner, useFactory: () => new AnswerSigner(config.assertionKey) },
  { provide: Answering, inject: [Commanding, AnswerSigner], useFactory: (commanding: Commanding, signer: AnswerSigner) => new Answering(commanding, signer) },
  {
    provide: Correcting,
    inject: [Answering, PlanReader, PlanWaiter],
    useFactory: (answering: Answering, reader: PlanReader, waiter: PlanWaiter) => new Correcting(answering, reader, waiter, blobs),
  },
  { provide: EndpointSecrets, useFactory: () => new EndpointSecrets(endpointSecret) },
  {
    provide: Proposing,
    inject: [Commanding, PlanReader, PlanWaiter, TenantBounds, AuditLag],
    useFactory: (commanding: Commanding, reader: PlanReader, waiter: PlanWaiter, tenants: TenantBounds, auditLag: AuditLag) =>
      new Proposing(commanding, blobs, reader, waiter, { tenants, auditLag }),
  },
  { provide: DeadLetterDesk, useFactory: () => new DeadLetterDesk(deadLetters) },
];

const system = ({ log, commands }: GatewayParts): Provider[] => [
  { provide: OpenApi, useFactory: () => new OpenApi() },
  { provide: ReadinessProbe, inject: [Lifetime], useFactory: (lifetime: Lifetime) => new ReadinessProbe(log, commands, lifetime) },
  {
    provide: Metrics,
    inject: [PlanWaiter, EventStreaming, AuditLag],
    useFactory: (waiter: PlanWaiter, streaming: EventStreaming, auditLag: AuditLag) => {
      const metrics = new Metrics();
      metrics.gauge('countersign_held_answers', () => waiter.size);
      metrics.gauge('countersign_event_streams', () => streaming.size);
      metrics.gauge('countersign_audit_lag_seconds', () => auditLag.lagMs / 1_000);
      return metrics;
    },
  },
];
