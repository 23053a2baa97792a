import { Module, type DynamicModule } from '@nestjs/common';
import type { ServiceInfra } from '@countersign/service-host';
import { CommandClient } from '@countersign/transport-jetstream';
import { Answers } from './answers/answers.js';
import { Corrections } from './answers/corrections.js';
import { policyCommandsOver } from './answers/policy-commands.js';
import { Breaker } from './breaker/breaker.js';
import { BreakerController } from './breaker/breaker.controller.js';
import { Cancellation } from './lifetime/cancellation.js';
import { LifetimeController } from './lifetime/lifetime.controller.js';
import { PlanClock } from './lifetime/plan-clock.js';
import { SessionEnds } from './lifetime/session-ends.js';
import { Sessions } from './lifetime/sessions.js';
import { plannerServices } from './planner-services.js';
import { PlansController } from './plans.controller.js';
import { Proposals } from './proposal/proposals.js';
import { Providers } from './registration/providers.js';
import { RegistrationController } from './registration/registration.controller.js';
import { TenantCare } from './registration/tenant-care.js';
import { TenantCareController } from './registration/tenant-care.controller.js';
import { Tenants } from './registration/tenants.js';

@Module({})
export class PlannerModule {
  static register(infra: ServiceInfra): DynamicModule {
    const services = plannerServices({ ...infra, policy: policyCommandsOver(new CommandClient(infra.broker.connection)) });
    return {
      module: PlannerModule,
      controllers: [RegistrationController, TenantCareController, LifetimeController, PlansController, BreakerController],
      providers: [
        { provide: Tenants, useValue: services.tenants },
        { provide: Providers, useValue: services.providers },
        { provide: Sessions, useValue: services.sessions },
        { provide: Proposals, useValue: services.proposals },
        { provide: Answers, useValue: services.answers },
        { provide: Corrections, useValue: services.corrections },
        { provide: Cancellation, useValue: services.cancellation },
        { provide: PlanClock, useValue: services.clock },
        { provide: SessionEnds, useValue: services.sessionEnds },
        { provide: TenantCare, useValue: services.care },
        { provide: Breaker, useValue: services.breaker },
      ],
    };
  }
}
