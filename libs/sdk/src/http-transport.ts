import type { Problem } from '@countersign/contracts/http';

/** A refusal of the gate, as it said it. `code` is one of the literal codes in `/openapi.json`. */
export class CountersignError extends Error {
  constructor(
    readonly code: string,
    readonly status: number,
    message: string,
    readonly details?: unknown,
    /** Names this request in the gate's own log. */
    readonly correlationId?: string,
  ) {
    super(message);
    this.name = 'CountersignError';
  }
}

export interface TransportOptions {
  /** `http://host:port`, without `/v1`. */
  readonly url: string;
  readonly apiKey: string;
  /** Of one request; a long poll adds its own wait. Default 30 s. */
  readonly timeoutMs?: number;
}

export interface RequestOptions {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, instead of a body. */
  readonly text?: { readonly type: string; readonly content: string };
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
  /** Added to the time-out; for long polls. */
  readonly extraMs?: number;
}

/** JSON over fetch: one place for credentials, time-outs and problem+json. It does not retry: the caller knows what is safe. */
export class HttpTransport {
  constructor(private readonly options: TransportOptions) {}

  async request<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.send(method, path, options);
    const text = await response.text();
    if (!response.ok) throw errorFrom(response.status, text);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** The open response, for streams. @throws CountersignError */
  async stream(path: string, options: RequestOptions = {}): Promise<ReadableStream<Uint8Array>> {
    const response = await this.fetch(path, options, { signal: options.signal });
    if (!response.ok) throw errorFrom(response.status, await response.text());
    if (!response.body) throw new CountersignError('UNAVAILABLE', response.status, 'The stream has no body');
    return response.body;
  }

  private async send(method: string, path: string, options: RequestOptions): Promise<Response> {
    const deadline = AbortSignal.timeout((this.options.timeoutMs ?? 30_000) + (options.extraMs ?? 0));
    return this.fetch(path, options, {
      method,
      body: bodyOf(options),
      signal: options.signal ? AbortSignal.any([options.signal, deadline]) : deadline,
    });
  }

  private async fetch(path: string, options: RequestOptions, init: RequestInit): Promise<Response> {
    try {
      return await fetch(this.urlOf(path, options.query), { ...init, headers: this.headers(options) });
    } catch (error) {
      throw unreachable(error, this.options.url);
    }
  }

  private headers(options: RequestOptions): Record<string, string> {
    return {
      authorization: `Bearer ${this.options.apiKey}`,
      ...(options.text ? { 'content-type': options.text.type } : options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
    };
  }

  private urlOf(path: string, query: RequestOptions['query'] = {}): URL {
    const url = new URL(path, this.options.url);
    for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }
}

const bodyOf = ({ text, body }: RequestOptions): string | undefined => text?.content ?? (body === undefined ? undefined : JSON.stringify(body));

/** @param problem as the gate said it. @param status of the answer, which a stream has sent already */
export const refusalFrom = (problem: Problem, status: number): CountersignError =>
  new CountersignError(problem.code, status, problem.detail ?? problem.title, problem.details, problem.correlationId);

function errorFrom(status: number, text: string): CountersignError {
  try {
    return refusalFrom(JSON.parse(text) as Problem, status);
  } catch {
    return new CountersignError('INTERNAL', status, `The gate answered ${status} without a readable body`);
  }
}

function unreachable(error: unknown, url: string): CountersignError {
  const name = error instanceof Error ? error.name : '';
  if (name === 'TimeoutError') return new CountersignError('TIMEOUT', 0, `${url} did not answer in time`);
  if (name === 'AbortError') return new CountersignError('TIMEOUT', 0, 'The request was given up');
  return new CountersignError('UNAVAILABLE', 0, `${url} cannot be reached; is the gate running (npm start)?`);
}
