import type { ServiceDefinition } from '@countersign/service-host';
import { PolicyModule } from './policy.module.js';

export const definition: ServiceDefinition = { service: 'policy', module: (infra) => PolicyModule.register(infra) };
