import type { RunningGate } from './commands.js';

/** Whatever the text says; a spec looks at what it expects of it. */
export type Parsed = ReturnType<typeof JSON.parse>;

export interface Answer<T = Parsed> { readonly status: number; readonly body: T; readonly code?: string }

/** The public API without a client in between, for specs that say which status and code a request gets. */
export const apiOf = (gate: RunningGate, key: string) => async <T = Parsed>(method: string, path: string, body?: unknown): Promise<Answer<T>> => {
  const response = await fetch(`${gate.state.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(90_000),
  });
  const text = await response.text();
  const parsed = text === '' ? undefined : JSON.parse(text);
  return { status: response.status, body: parsed, ...(response.ok ? {} : { code: parsed?.code }) };
};

export type Api = ReturnType<typeof apiOf>;
