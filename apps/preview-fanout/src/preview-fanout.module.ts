import { Inject, Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { createAggregateStore } from '@countersign/event-log';
import { planFold } from '@countersign/domain-plan';
import { createProviderRegistry, fakeOptions, fakeProviderFactory, type ProviderRegistry } from '@countersign/providers';
import { mcpProviderFactory } from '@countersign/providers-mcp';
import type { ServiceInfra } from '@countersign/service-host';
import { Fanout } from './fanout.js';
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
    return {
      module: PreviewFanoutModule,
      controllers: [PreviewsController],
      providers: [
        { provide: REGISTRY, useValue: registry },
        { provide: Fanout, useValue: new Fanout(createAggregateStore(infra.log, planFold), infra.blobs, registry) },
      ],
    };
  }

  /** After the transport has drained: no handler uses a provider any more. */
  async onApplicationShutdown(): Promise<void> {
    await this.registry.close();
  }
}
