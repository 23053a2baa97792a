import type { ServiceDefinition } from '@countersign/service-host';
import { NotifierModule } from './notifier.module.js';
import { skipping } from './skip.js';
import { Webhooks } from './webhooks.js';

/** Deliveries wait for others most of their time, and each tenant may have 16 under way. */
const AT_A_TIME = 1_024;

export const definition: ServiceDefinition = {
  service: 'notifier',
  module: (infra) => NotifierModule.register(infra),
  concurrency: AT_A_TIME,
  skip: ({ log }) => skipping(new Webhooks(log)),
};
