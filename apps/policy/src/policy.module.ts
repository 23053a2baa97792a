import { Module, type DynamicModule } from '@nestjs/common';
import type { ServiceInfra } from '@countersign/service-host';
import { Bundles } from './bundles.js';
import { Evaluation } from './evaluation.js';
import { policyServices } from './policy-services.js';
import { PolicyController } from './policy.controller.js';

@Module({})
export class PolicyModule {
  static register(infra: ServiceInfra): DynamicModule {
    const { bundles, evaluation } = policyServices(infra);
    return {
      module: PolicyModule,
      controllers: [PolicyController],
      providers: [{ provide: Bundles, useValue: bundles }, { provide: Evaluation, useValue: evaluation }],
    };
  }
}
