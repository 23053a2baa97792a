import { HttpException } from '@nestjs/common';
import { ERROR_CODES, type ErrorCode } from '@countersign/contracts';
import type { Problem } from '@countersign/contracts/http';
import { GateError, isGateError } from '@countersign/kernel';

export interface ProblemAnswer {
  readonly problem: Problem;
  readonly headers: Readonly<Record<string, string>>;
}

/** Seconds after which the same request may well succeed. */
const RETRY_AFTER_S: Partial<Record<ErrorCode, number>> = { TOO_MANY_REQUESTS: 1, BUSY: 1, UNAVAILABLE: 2, EVENT_UNREADABLE: 30, LOG_REGRESSED: 30, AGGREGATE_TRUNCATED: 30, BLOB_MISSING: 5 };

/**
 * What a caller is told of any error. Of one that is the gate's own (5xx) only its title: its message may name parts
 * inside, and stands in the log under the correlation id. A provider that cannot be reached is the caller's business.
 */
export function problemOf(error: unknown, correlationId: string): ProblemAnswer {
  const refusal = refusalOf(error);
  const { http, title } = ERROR_CODES[refusal.code];
  const retryAfter = saidRetryAfter(refusal.details) ?? RETRY_AFTER_S[refusal.code];
  const tellable = http < 500 || refusal.code === 'PROVIDER_UNREACHABLE';
  return {
    problem: {
      type: `urn:countersign:error:${refusal.code}`,
      title,
      status: http,
      code: refusal.code,
      detail: tellable ? refusal.message : title,
      correlationId,
      ...(tellable && refusal.details !== undefined ? { details: refusal.details } : {}),
    },
    headers: {
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
      ...(refusal.code === 'UNAUTHENTICATED' ? { 'www-authenticate': 'Bearer' } : {}),
    },
  };
}

/** Undefined unless the refusal says for itself after how many seconds. */
function saidRetryAfter(details: unknown): number | undefined {
  const seconds = (details as { retryAfterSeconds?: unknown } | undefined)?.retryAfterSeconds;
  return typeof seconds === 'number' ? seconds : undefined;
}

/** A GateError for anything thrown: ours as it is, the framework's by its status, everything else INTERNAL. */
export function refusalOf(error: unknown): GateError {
  if (isGateError(error)) return error.code in ERROR_CODES ? error : new GateError('INTERNAL');
  const code = codeOfStatus(statusOf(error));
  return new GateError(code);
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof HttpException) return error.getStatus();
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

function codeOfStatus(status: number | undefined): ErrorCode {
  switch (status) {
    case 401: return 'UNAUTHENTICATED';
    case 403: return 'FORBIDDEN';
    case 404: return 'NOT_FOUND';
    case 408: return 'REQUEST_TOO_SLOW';
    case 405: return 'METHOD_NOT_ALLOWED';
    case 413: return 'BODY_TOO_LARGE';
    case 415: return 'UNSUPPORTED_MEDIA_TYPE';
    case 429: return 'TOO_MANY_REQUESTS';
    case 503: return 'UNAVAILABLE';
    default: return status !== undefined && status >= 400 && status < 500 ? 'INVALID_REQUEST' : 'INTERNAL';
  }
}
