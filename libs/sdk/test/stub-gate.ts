import { EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CountersignClient } from '../src/index.js';

/** What came in, as it came in. */
export interface Received {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly type: string | undefined;
  readonly idempotencyKey: string | undefined;
  readonly body: string;
}

export interface StubGate {
  readonly client: CountersignClient;
  readonly received: readonly Received[];
  /** Emits `request` after each that was noted. */
  readonly requests: EventEmitter;
  stop(): Promise<void>;
}

/** A gate that notes every request and answers as it is told; as long as nothing is told, with `{}`. */
export async function startStubGate(answer: (received: Received, response: ServerResponse) => void = (_, response) => { response.end('{}'); }): Promise<StubGate> {
  const received: Received[] = [];
  const requests = new EventEmitter();
  const server = createServer((request, response) => {
    void bodyOf(request).then((body) => {
      const { method = '', url = '', headers } = request;
      const one = { method, path: url, type: headers['content-type'], idempotencyKey: headers['idempotency-key'] as string | undefined, body };
      received.push(one);
      answer(one, response);
      requests.emit('request');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new CountersignClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, apiKey: 'csk_t' });
  const stop = (): Promise<void> => new Promise((resolve) => { server.closeAllConnections(); server.close(() => resolve()); });
  return { client, received, requests, stop };
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
