import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LIMITS } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';
import { GateKeeper } from '../auth/gate-keeper.js';
import { TenantBounds } from '../bounds/tenant-bounds.js';
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

/** Milliseconds. Without them a client that sends its body a byte a minute would keep its connection, and its part of the body, for ever. */
export interface EdgeTimes {
  readonly requestMs: number;
  readonly idleMs: number;
  /** How often node looks for requests that are overdue. */
  readonly lookMs: number;
}

const TIMES: EdgeTimes = { requestMs: LIMITS.requestMs, idleMs: LIMITS.connectionIdleMs, lookMs: 5_000 };

/** The HTTP server of the edge. Its own answers to what it cannot route or parse are problems too. */
export function makeHttpAdapter(logger: ServiceLogger, times: EdgeTimes = TIMES): FastifyAdapter {
  return new EdgeAdapter({
    bodyLimit: LIMITS.httpBodyBytes,
    requestTimeout: times.requestMs,
    connectionTimeout: times.idleMs,
    http: { connectionsCheckingInterval: times.lookMs, headersTimeout: times.requestMs },
    return503OnClosing: false,
    exposeHeadRoutes: false,
    frameworkErrors: (error: Error, request: FastifyRequest, reply: FastifyReply) => { sendProblem(error, request, reply, logger); },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket) => { refuseSocket(socket, error.code); },
    routerOptions: { maxParamLength: 200 },
  });
}

/** Hooks, parsers and filter, in that order; before the application is initialised. */
export function configureHttp(app: NestFastifyApplication, logger: ServiceLogger): void {
  const server = app.getHttpAdapter().getInstance();
  const [keeper, bounds, lifetime, metrics] = [app.get(GateKeeper), app.get(TenantBounds), app.get(Lifetime), app.get(Metrics)];
  takeBodies(server);
  server.addHook('onRequest', async (request, reply) => {
    const noted = { trace: traceOf(request.headers), signal: lifetime.signalFor(reply.raw), startedAt: performance.now(), admitted: { as: 'everyone' } as const };
    note(request, noted);
    void reply.header('x-correlation-id', noted.trace.correlationId);
    if (request.is404) return;
    if (lifetime.isStopping) throw new GateError('UNAVAILABLE');
    const admitted = await keeper.admit(request.method, request.routeOptions.url ?? '', request.headers.authorization);
    note(request, { ...noted, admitted });
    if (admitted.as === 'caller' && request.method !== 'GET') bounds.countChange(admitted.caller.tenant);
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

/** What is not HTTP, or not there in time, gets one answer and no connection. */
function refuseSocket(socket: Socket, reason: string | undefined): void {
  if (!socket.writable) return;
  const refusal = reason === 'ERR_HTTP_REQUEST_TIMEOUT' ? new GateError('REQUEST_TOO_SLOW') : new GateError('INVALID_REQUEST', 'This is not an HTTP request that can be read');
  const { problem } = problemOf(refusal, 'none');
  const body = JSON.stringify(problem);
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\nConnection: close\r\nContent-Type: application/problem+json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
