import type { ServiceDefinition } from '@countersign/service-host';
import { ExecutorModule } from './executor.module.js';

export const definition: ServiceDefinition = {
  service: 'executor',
  module: (infra) => ExecutorModule.register(infra),
  // a plan in work mostly waits for its providers
  concurrency: 1_024,
};
