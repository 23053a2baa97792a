import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';
import { GateKeeper } from '../auth/gate-keeper.js';
import { Metrics } from '../system/metrics.js';
import { OpenApi } from '../system/openapi.js';
import { note, noteOf } from './asked.js';
import { takeBodies } from './content-types.js';
import { traceOf } from './correlation.js';
import { Lifetime } from './lifetime.js';
import { ProblemFilter, sendProblem } from './problem.filter.js';
import { problemOf } from './problem.js';

/** Leaves the parsers to `takeBodies`: the framework's accept other types and other JSON. */
class EdgeAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {}
}

/** The HTTP server of the edge. Its own answers to what it cannot route or parse are problems too. */
export function makeHttpAdapter(logger: ServiceLogger): FastifyAdapter {
  return new EdgeAdapter({
    bodyLimit: LIMITS.httpBodyBytes,
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => { sendProblem(error, request, reply, logger); },
    clientErrorHandler: (_error: Error, socket: Socket) => { refuseSocket(socket); },
    routerOptions: { maxParamLength: 200 },
  });
}

/** Hooks, parsers and filter, in that order; before the application is initialised. */
export function configureHttp(app: NestFastifyApplication, logger: ServiceLogger): void {
  const server = app.getHttpAdapter().getInstance();
  const [keeper, lifetime, metrics] = [app.get(GateKeeper), app.get(Lifetime), app.get(Metrics)];
  takeBodies(server);
  server.addHook('onRequest', async (request, reply) => {
    const noted = { trace: traceOf(request.headers), signal: lifetime.signalFor(reply.raw), startedAt: performance.now(), admitted: { as: 'everyone' } as const };
    note(request, noted);
    void reply.header('x-correlation-id', noted.trace.correlationId);
    if (request.is404) return;
    if (lifetime.isStopping) throw new GateError('UNAVAILABLE');
    note(request, { ...noted, admitted: await keeper.admit(request.method, request.routeOptions.url ?? '', request.headers.authorization) });
  });
  // A kept connection would hold the shutdown up after its last answer.
  server.addHook('onSend', async (_request, reply) => { if (lifetime.isStopping) void reply.header('connection', 'close'); });
  server.addHook('onResponse', async (request, reply) => {
    const noted = noteOf(request);
    if (noted) metrics.answered(request.method, request.routeOptions?.url, reply.statusCode, performance.now() - noted.startedAt);
  });
  server.addHook('preClose', () => lifetime.drain(server.server));
  app.useGlobalFilters(new ProblemFilter(logger));
  app.get(OpenApi).describe(app);
}

/** What is not HTTP gets one answer and no connection. */
function refuseSocket(socket: Socket): void {
  if (!socket.writable) return;
  const { problem } = problemOf(new GateError('INVALID_REQUEST', 'This is not an HTTP request that can be read'), 'none');
  const body = JSON.stringify(problem);
  socket.end(`HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
