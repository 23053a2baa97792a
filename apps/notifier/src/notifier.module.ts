import { Module, type DynamicModule } from '@nestjs/common';
import type { ServiceInfra } from '@countersign/service-host';

@Module({})
export class NotifierModule {
  static register(_infra: ServiceInfra): DynamicModule {
    return { module: NotifierModule };
  }
}
