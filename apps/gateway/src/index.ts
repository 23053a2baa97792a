import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { ServiceDefinition } from '@countersign/service-host';
import { gatewayParts } from './adapters/gateway-parts.js';
import { configureHttp, makeHttpAdapter } from './edge/server.js';
import { GatewayModule } from './gateway.module.js';

export const definition: ServiceDefinition = {
  service: 'gateway',
  module: (infra) => {
    const parts = gatewayParts(infra);
    return GatewayModule.register(parts, { start: () => parts.feed.start(), stop: () => parts.feed.stop() });
  },
  http: {
    adapter: ({ logger }) => makeHttpAdapter(logger),
    configure: (app, { logger }) => configureHttp(app as NestFastifyApplication, logger),
  },
};
