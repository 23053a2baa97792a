import type { ServiceDefinition } from '@countersign/service-host';
import { RunEngineModule } from './run-engine.module.js';

export const definition: ServiceDefinition = { service: 'run-engine', module: (infra) => RunEngineModule.register(infra) };
