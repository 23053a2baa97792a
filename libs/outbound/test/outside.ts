import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What one request brought. */
export interface Arrived {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Reply = (response: ServerResponse, arrived: Arrived) => void;

/** A server of somebody else, on this machine's loopback address, that answers as it is told. */
export class Outside {
  readonly arrived: Arrived[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly waiting = new Set<() => void>();
  private constructor(private readonly server: Server, public reply: Reply) {}

  static async listen(reply: Reply = (response) => { response.end('{}'); }): Promise<Outside> {
    const server = createServer();
    const outside = new Outside(server, reply);
    server.on('connection', (socket) => {
      outside.sockets.add(socket);
      socket.on('close', () => outside.sockets.delete(socket));
    });
    server.on('request', (request, response) => void outside.take(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return outside;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Connections that stand. */
  get open(): number {
    return this.sockets.size;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Resolves when so many requests have come. */
  count(requests: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.arrived.length < requests) return;
        this.waiting.delete(look);
        resolve();
      };
      this.waiting.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const arrived = { method: request.method!, path: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() };
    this.arrived.push(arrived);
    this.reply(response, arrived);
    for (const look of [...this.waiting]) look();
  }
}
