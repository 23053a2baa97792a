import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { planFold } from '@countersign/domain-plan';
import { sessionFold } from '@countersign/domain-session';
import { tenantFold } from '@countersign/domain-tenant';
import { createAggregateStore } from '@countersign/event-log';
import { createProviderRegistry, fakeOptions, fakeProviderFactory, SchemaChecks, type ProviderRegistry } from '@countersign/providers';
import { mcpProviderFactory } from '@countersign/providers-mcp';
import type { ServiceInfra } from '@countersign/service-host';
import { ApplyController } from './apply.controller.js';
import { ApplyPlan } from './apply-plan.js';
import { DescribeController } from './describe.controller.js';
import { LockDomains } from './lock-domains.js';
import { RunningCalls } from './running-calls.js';
import { TenantViews } from './tenant-views.js';
import { REGISTRY, STOPPING } from './tokens.js';

@Module({})
export class ExecutorModule implements OnApplicationShutdown {
  constructor(@Inject(REGISTRY) private readonly registry: ProviderRegistry, @Inject(STOPPING) private readonly stopping: AbortController) {}

  static register(infra: ServiceInfra): DynamicModule {
    const stopping = new AbortController();
    const registry = createProviderRegistry(
      { fake: fakeProviderFactory(fakeOptions(process.env)), 'mcp-stdio': mcpProviderFactory() },
      { onFault: (error) => infra.logger.error({ err: error }, 'a provider’s adapter failed') },
    );
    const tenants = new TenantViews(createAggregateStore(infra.log, tenantFold));
    const applyPlan = new ApplyPlan({
      plans: createAggregateStore(infra.log, planFold, { signal: stopping.signal }),
      sessions: createAggregateStore(infra.log, sessionFold),
      tenants,
      running: new RunningCalls(tenants, infra.logger),
      blobs: infra.blobs,
      registry,
      locks: new LockDomains(),
      schemas: new SchemaChecks(),
      logger: infra.logger,
      instance: infra.instance,
      now: infra.now,
    });
    return {
      module: ExecutorModule,
      controllers: [ApplyController, DescribeController],
      providers: [
        { provide: REGISTRY, useValue: registry },
        { provide: STOPPING, useValue: stopping },
        { provide: ApplyPlan, useValue: applyPlan },
      ],
    };
  }

  /** After the transport has drained. What is still trying to report an effect is given up to the message's next delivery. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.registry.close();
  }
}
