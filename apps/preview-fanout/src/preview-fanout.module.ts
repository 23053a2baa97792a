import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { createAggregateStore } from '@countersign/event-log';
import { planFold } from '@countersign/domain-plan';
import { sessionFold } from '@countersign/domain-session';
import { PolicyView } from '@countersign/policy-view';
import { createProviderRegistry, fakeOptions, fakeProviderFactory, type ProviderRegistry } from '@countersign/providers';
import { mcpProviderFactory } from '@countersign/providers-mcp';
import type { ServiceInfra } from '@countersign/service-host';
import { Fanout } from './fanout.js';
import { Guardrails } from './guardrails.js';
import { PreviewsController } from './previews.controller.js';

const REGISTRY = Symbol('ProviderRegistry');

@Module({})
export class PreviewFanoutModule implements OnApplicationShutdown {
  constructor(@Inject(REGISTRY) private readonly registry: ProviderRegistry) {}

  static register(infra: ServiceInfra): DynamicModule {
    const registry = createProviderRegistry(
      { fake: fakeProviderFactory(fakeOptions(process.env)), 'mcp-stdio': mcpProviderFactory() },
      { onFault: (error) => infra.logger.error({ err: error }, 'a provider’s adapter failed') },
    );
    const guardrails = new Guardrails(new PolicyView(infra.log, infra.blobs), createAggregateStore(infra.log, sessionFold), infra.blobs, infra.now);
    return {
      module: PreviewFanoutModule,
      controllers: [PreviewsController],
      providers: [
        { provide: REGISTRY, useValue: registry },
        { provide: Fanout, useValue: new Fanout(createAggregateStore(infra.log, planFold), infra.blobs, registry, guardrails) },
      ],
    };
  }

  /** After the transport has drained: no handler uses a provider any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.registry.close();
  }
}
