import { Module, type DynamicModule } from '@nestjs/common';
import type { ServiceInfra } from '@countersign/service-host';
import { Bundles } from './bundles/bundles.js';
import { BundlesController } from './bundles/bundles.controller.js';
import { ChecksController } from './checks/checks.controller.js';
import { Explaining } from './checks/explaining.js';
import { Simulating } from './checks/simulating.js';
import { Grants } from './grants/grants.js';
import { GrantsController } from './grants/grants.controller.js';
import { JudgingController } from './judging.controller.js';
import { Evaluation } from './judging/evaluation.js';
import { policyServices } from './policy-services.js';
import { vetoCallerOverHttp } from './vetoes/veto-caller.js';

@Module({})
export class PolicyModule {
  static register(infra: ServiceInfra): DynamicModule {
    const { bundles, evaluation, explaining, grants, simulating } = policyServices({ ...infra, callVeto: vetoCallerOverHttp(infra.config.outboundKey) });
    return {
      module: PolicyModule,
      controllers: [JudgingController, BundlesController, ChecksController, GrantsController],
      providers: [
        { provide: Bundles, useValue: bundles },
        { provide: Evaluation, useValue: evaluation },
        { provide: Explaining, useValue: explaining },
        { provide: Grants, useValue: grants },
        { provide: Simulating, useValue: simulating },
      ],
    };
  }
}
