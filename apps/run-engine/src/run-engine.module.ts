import { Inject, Module, type DynamicModule, type OnApplicationBootstrap } from '@nestjs/common';
import type { ServiceInfra, ServiceLogger } from '@countersign/service-host';

const LOGGER = Symbol('logger');

/** A frame: staged runs are not built yet. It says so, so that nobody waits for a run that nothing will drive. */
@Module({})
export class RunEngineModule implements OnApplicationBootstrap {
  constructor(@Inject(LOGGER) private readonly logger: ServiceLogger) {}

  static register(infra: ServiceInfra): DynamicModule {
    return { module: RunEngineModule, providers: [{ provide: LOGGER, useValue: infra.logger }] };
  }

  onApplicationBootstrap(): void {
    this.logger.info({ consumes: [], emits: [] }, 'run-engine is a frame: it consumes nothing and records nothing yet');
  }
}
