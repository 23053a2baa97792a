import type { ServiceDefinition } from '@countersign/service-host';
import { ExecutorModule } from './executor.module.js';

export const definition: ServiceDefinition = { service: 'executor', module: (infra) => ExecutorModule.register(infra) };
