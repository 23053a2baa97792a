import { randomUUID } from 'node:crypto';

export interface Trace {
  readonly correlationId: string;
  readonly traceparent?: string;
}

const ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;
const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** One id for everything that follows from one request: the caller's `x-correlation-id`, its trace's id, or a new one. */
export function traceOf(headers: Readonly<Record<string, unknown>>): Trace {
  const given = headers['x-correlation-id'];
  const traceparent = headers['traceparent'];
  const trace = typeof traceparent === 'string' ? TRACEPARENT.exec(traceparent) : null;
  const correlationId = typeof given === 'string' && ID.test(given) ? given : trace?.[1] ?? randomUUID();
  return { correlationId, ...(trace ? { traceparent: trace[0] } : {}) };
}
