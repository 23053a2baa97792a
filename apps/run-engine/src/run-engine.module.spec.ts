import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { AUTHOR_OF, FLOW } from '@countersign/contracts';
import type { ServiceInfra, ServiceLogger } from '@countersign/service-host';
import { definition } from './index.js';

describe('the run engine', () => {
  it('says at its start that it is a frame, and the map says the same', async () => {
    const said: string[] = [];
    const logger: ServiceLogger = { info: (_, message) => { said.push(message); }, warn() {}, error() {} };
    const app = await NestFactory.createApplicationContext(definition.module({ logger } as unknown as ServiceInfra), { logger: false });
    await app.close();
    expect(said).toEqual(['run-engine is a frame: it consumes nothing and records nothing yet']);
    expect(FLOW['run-engine'].consumes).toEqual([]);
    expect(Object.values(AUTHOR_OF)).not.toContain('run-engine');
  });
});
