import type { ServiceDefinition } from '@countersign/service-host';
import { AuditModule } from './audit.module.js';

/** It takes from its consumers itself, in batches: the transport serves its commands only. */
export const definition: ServiceDefinition = { service: 'audit', consumes: [], module: (infra) => AuditModule.register(infra) };
