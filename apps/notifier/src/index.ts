import type { ServiceDefinition } from '@countersign/service-host';
import { NotifierModule } from './notifier.module.js';

export const definition: ServiceDefinition = { service: 'notifier', module: (infra) => NotifierModule.register(infra) };
