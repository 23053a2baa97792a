import type { ServiceDefinition } from '@countersign/service-host';
import { PlannerModule } from './planner.module.js';

export const definition: ServiceDefinition = { service: 'planner', module: (infra) => PlannerModule.register(infra) };
