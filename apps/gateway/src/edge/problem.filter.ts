import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { GateError } from '@countersign/kernel';
import type { ServiceLogger } from '@countersign/service-host';
import { methodsOf } from '../auth/route-roles.js';
import { noteOf } from './asked.js';
import { problemOf, refusalOf } from './problem.js';

/** Every error of every route as problem+json. What is a fault of ours goes to the log under the same correlation id. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly logger: ServiceLogger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    sendProblem(error, http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>(), this.logger);
  }
}

/** Also for what fails before Nest is reached. */
export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply, logger: ServiceLogger): void {
  const known = noteOf(request)?.trace.correlationId ?? randomUUID();
  const shown = request.is404 && refusalOf(error).code === 'NOT_FOUND' ? unknownRoute(request, reply) : error;
  const { problem, headers } = problemOf(shown, known);
  if (problem.status >= 500) logFault(error, request, known, logger);
  if (reply.sent || reply.raw.headersSent) return;
  void reply.code(problem.status).headers({ ...headers, 'x-correlation-id': known }).type('application/problem+json; charset=utf-8').send(JSON.stringify(problem));
}

function unknownRoute(request: FastifyRequest, reply: FastifyReply): GateError {
  const allowed = methodsOf(request.url.split('?', 1)[0]!);
  if (allowed.length === 0) return new GateError('NOT_FOUND', 'There is no such path; /openapi.json lists them');
  void reply.header('allow', allowed.join(', '));
  return new GateError('METHOD_NOT_ALLOWED', `This path takes ${allowed.join(', ')}`);
}

function logFault(error: unknown, request: FastifyRequest, correlationId: string, logger: ServiceLogger): void {
  const { code } = refusalOf(error);
  const at = { correlationId, method: request.method, route: request.routeOptions?.url, code };
  const message = error instanceof Error ? error.message : 'something that is no error was thrown';
  if (code === 'INTERNAL') logger.error({ ...at, stack: error instanceof Error ? error.stack : undefined }, message);
  else logger.warn(at, message);
}
