import { Client, errors, type Dispatcher } from 'undici';
import { GateError, isGateError } from '@countersign/kernel';
import { addressesOf, resolveByDns, type Address, type Resolve } from './resolve.js';
import { reachOf } from './addresses.js';
import { pinnedTo } from './pinned.js';

export interface GuardedRequest {
  /** As a tenant's admin gave it; nothing of it is trusted. */
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Over all of it: the look-up of the name, connecting, headers and body. */
  readonly deadlineMs: number;
  /** Of the answer's body; a longer one is UNAVAILABLE. 0: its body is not wanted and not read. */
  readonly maxBytes: number;
  /** Only of a tenant that may run processes on this machine: also calls its loopback addresses, and there http. */
  readonly allowLoopback?: boolean;
  /** Gives the call up. */
  readonly signal?: AbortSignal;
}

export interface GuardedResponse {
  /** 200 to 299, or 400 to 599. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** What a spec brings instead of the world's. */
export interface OutboundParts {
  readonly resolve?: Resolve;
  /** Certificates of authorities (PEM) instead of the installed ones. */
  readonly ca?: string;
}

export type GuardedFetch = (request: GuardedRequest) => Promise<GuardedResponse>;

/**
 * The only way in which the gate calls an address that a tenant names. The address is looked up once, checked, and that
 * very address is connected to, so a name that answers differently the next time changes nothing. Redirects are not
 * followed, proxies of the environment are not used, certificates are always verified. What it throws names the origin
 * only: paths and queries may be secrets.
 * @throws GateError URL_NOT_ALLOWED: such an address is never called; TIMEOUT: the deadline is over, and it may have arrived;
 *   UNAVAILABLE: anything else that is no answer
 */
export const guardedFetch: GuardedFetch = (request) => fetchWith({}, request);

/** For specs: the same with other parts. */
export const guardedFetchWith = (parts: OutboundParts): GuardedFetch => (request) => fetchWith(parts, request);

async function fetchWith(parts: OutboundParts, request: GuardedRequest): Promise<GuardedResponse> {
  const url = allowedUrl(request);
  const ending = new AbortController();
  const late = new GateError('TIMEOUT', `${url.origin} did not answer within ${request.deadlineMs} ms`);
  const timer = setTimeout(() => ending.abort(late), request.deadlineMs);
  const giveUp = (): void => ending.abort(new GateError('UNAVAILABLE', `The call of ${url.origin} was given up`));
  request.signal?.addEventListener('abort', giveUp, { once: true });
  if (request.signal?.aborted) giveUp();
  try {
    const addresses = await orAborted(addressesOf(url.hostname, parts.resolve ?? resolveByDns, request.deadlineMs, ending.signal), ending.signal);
    requireAllowed(url, addresses, request);
    return await call(url, addresses, parts, request, ending.signal);
  } catch (error) {
    if (ending.signal.aborted) throw ending.signal.reason;
    throw isGateError(error) ? error : new GateError('UNAVAILABLE', `${url.origin} could not be called: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', giveUp);
  }
}

/** Before anything is looked up. */
function allowedUrl({ url: text, allowLoopback }: GuardedRequest): URL {
  if (!URL.canParse(text)) throw new GateError('URL_NOT_ALLOWED', 'This is not a URL');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') throw new GateError('URL_NOT_ALLOWED', 'A URL with a user or password in it is not called');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && allowLoopback)) return url;
  throw new GateError('URL_NOT_ALLOWED', allowLoopback ? 'Only https is called, or http at this machine’s own loopback address' : 'Only https is called');
}

/** Every address that the name has, since it is not known which one a connection would take. */
function requireAllowed(url: URL, addresses: readonly Address[], { allowLoopback = false }: GuardedRequest): void {
  const reaches = addresses.map(({ address }) => reachOf(address));
  const allowed = reaches.every((reach) => (reach === 'loopback' ? allowLoopback : reach === 'public'));
  if (!allowed) throw new GateError('URL_NOT_ALLOWED', `${url.origin} leads to an address that the gate does not call`);
  if (url.protocol === 'http:' && !reaches.every((reach) => reach === 'loopback')) throw new GateError('URL_NOT_ALLOWED', `${url.origin} is not this machine’s own: only https is called there`);
}

async function call(url: URL, addresses: readonly Address[], { ca }: OutboundParts, request: GuardedRequest, signal: AbortSignal): Promise<GuardedResponse> {
  const { method, headers, body, deadlineMs } = request;
  const client = new Client(url.origin, {
    connect: { lookup: pinnedTo(addresses), rejectUnauthorized: true, timeout: deadlineMs, autoSelectFamily: true, ...(ca === undefined ? {} : { ca }) },
    headersTimeout: 0, bodyTimeout: 0, // the one deadline bounds them
    pipelining: 0,
  });
  try {
    const path = `${url.pathname}${url.search}`;
    const answer = await client.request({ path, method, signal, ...(headers ? { headers: { ...headers } } : {}), ...(body === undefined ? {} : { body }) });
    if (answer.statusCode >= 300 && answer.statusCode < 400) throw new GateError('UNAVAILABLE', `${url.origin} answers with a redirect (${answer.statusCode}), and none is followed`);
    return { status: answer.statusCode, headers: answer.headers, body: await readBounded(url, answer.body, request.maxBytes) };
  } finally {
    await client.destroy().catch(() => {});
  }
}

async function readBounded(url: URL, body: Dispatcher.ResponseData['body'], maxBytes: number): Promise<Buffer> {
  if (maxBytes === 0) {
    body.on('error', () => {}).destroy();
    return Buffer.alloc(0);
  }
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new GateError('UNAVAILABLE', `${url.origin} answers with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function orAborted<T>(asked: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const aborted = (): void => reject(new Error('aborted'));
    if (signal.aborted) aborted();
    signal.addEventListener('abort', aborted, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

/** A code and never the error's own words: they may quote what was sent. */
function reasonOf(error: unknown): string {
  if (error instanceof errors.UndiciError) return error.code;
  const code = (error as NodeJS.ErrnoException | undefined)?.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'no whole answer came';
}
