import { LIMITS } from '@countersign/contracts';
import type { ServiceDefinition } from '@countersign/service-host';
import { NotifierModule } from './notifier.module.js';
import { skipping } from './skip.js';
import { Webhooks } from './webhooks.js';

export const definition: ServiceDefinition = {
  service: 'notifier',
  module: (infra) => NotifierModule.register(infra),
  // Half of it is for those that find no place and are given back at once.
  concurrency: 2 * LIMITS.outboxInFlight,
  skip: ({ log }) => skipping(new Webhooks(log)),
};
