import type { ServiceDefinition } from '@countersign/service-host';
import { PreviewFanoutModule } from './preview-fanout.module.js';

export const definition: ServiceDefinition = {
  service: 'preview-fanout',
  module: (infra) => PreviewFanoutModule.register(infra),
  // a plan in work mostly waits for its providers
  concurrency: 1_024,
};
