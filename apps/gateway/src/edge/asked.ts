import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CommandContext, TenantId } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { Caller } from '../auth/caller.js';
import type { Admitted } from '../auth/gate-keeper.js';
import type { Trace } from './correlation.js';

/** One request, as far as its handler needs to know it. */
export interface Asked {
  readonly caller: Caller;
  readonly trace: Trace;
  readonly idempotencyKey: unknown;
  /** Aborted when the caller is gone or this process shuts down. */
  readonly signal: AbortSignal;
}

/** What the hooks note of a request, long before its handler runs. */
export interface Noted {
  readonly trace: Trace;
  readonly signal: AbortSignal;
  readonly startedAt: number;
  admitted: Admitted;
}

const notes = new WeakMap<object, Noted>();
export const note = (request: FastifyRequest, noted: Noted): void => { notes.set(request.raw, noted); };
/** Undefined only for what failed before the first hook. */
export const noteOf = (request: FastifyRequest): Noted | undefined => notes.get(request.raw);

/** `@FromCaller()`: the request of a tenant's key. */
export const FromCaller = createParamDecorator((_: unknown, context: ExecutionContext): Asked => {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  const noted = noteOf(request);
  if (noted?.admitted.as !== 'caller') throw new GateError('UNAUTHENTICATED');
  return { caller: noted.admitted.caller, trace: noted.trace, idempotencyKey: request.headers['idempotency-key'], signal: noted.signal };
});

/** `@FromOperator()`: only the trace; the operator belongs to no tenant. */
export const FromOperator = createParamDecorator((_: unknown, context: ExecutionContext): Trace => {
  const noted = noteOf(context.switchToHttp().getRequest<FastifyRequest>());
  if (noted?.admitted.as !== 'operator') throw new GateError('UNAUTHENTICATED');
  return noted.trace;
});

export const contextOf = ({ caller, trace }: Asked): CommandContext => ({ tenant: caller.tenant, principal: caller.principal, ...trace });
/** In the place of a tenant where the operator asks about the installation. No tenant can have this id. */
export const NO_TENANT: TenantId = '_';

export const operatorContext = (tenant: TenantId, trace: Trace): CommandContext => ({ tenant, principal: 'operator', ...trace });

