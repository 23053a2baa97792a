import { Controller, Get, Header, Query, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiOkResponse, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply } from 'fastify';
import { oneOf, type Query as QueryOf } from '../edge/query.js';
import { Metrics } from './metrics.js';
import { OpenApi } from './openapi.js';
import { ReadinessProbe } from './readiness.js';

@ApiTags('system')
@Controller()
export class SystemController {
  constructor(private readonly probe: ReadinessProbe, private readonly metrics: Metrics, private readonly openApi: OpenApi) {}

  /** This process lives. */
  @Get('healthz')
  @ApiOkResponse({ schema: { type: 'object', properties: { status: { type: 'string' } } } })
  health(): { status: 'ok' } {
    return { status: 'ok' };
  }

  /** 200 when this process can serve, else 503. With `need=all` it takes every other service too. */
  @Get('readyz')
  @ApiQuery({ name: 'need', required: false, enum: ['gateway', 'all'] })
  @ApiOkResponse({ schema: { type: 'object' } })
  async ready(@Query() query: QueryOf, @Res() reply: FastifyReply): Promise<void> {
    const all = oneOf(query, 'need', ['gateway', 'all']) === 'all';
    const readiness = await this.probe.probe();
    const ready = readiness.ready && (!all || Object.values(readiness.services).every(Boolean));
    await reply.code(ready ? 200 : 503).headers(ready ? {} : { 'retry-after': '1' }).send({ ...readiness, ready });
  }

  @Get('metrics')
  @Header('content-type', 'text/plain; version=0.0.4; charset=utf-8')
  @ApiExcludeEndpoint()
  metricsText(): string {
    return this.metrics.text();
  }

  @Get('openapi.json')
  @ApiExcludeEndpoint()
  document(): object {
    return this.openApi.document;
  }
}
