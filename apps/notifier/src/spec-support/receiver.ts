import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Notice } from '../notices/notice.js';

export interface Arrived {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly notice: Notice;
}

/** Somebody's webhook on this machine's loopback address. */
export class Receiver {
  readonly arrived: Arrived[] = [];
  private readonly looks = new Set<() => void>();
  private constructor(private readonly server: Server, public reply: (response: ServerResponse, count: number) => void) {}

  /** @param reply to the n-th request, from 1 */
  static async listen(reply: Receiver['reply'] = (response) => { response.end(); }): Promise<Receiver> {
    const server = createServer();
    const receiver = new Receiver(server, reply);
    server.on('request', (request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('end', () => receiver.take(request.headers, Buffer.concat(chunks).toString(), response));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  /** Resolves when so many requests have come. */
  count(requests: number): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.arrived.length < requests) return;
        this.looks.delete(look);
        resolve();
      };
      this.looks.add(look);
      look();
    });
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private take(headers: Arrived['headers'], text: string, response: ServerResponse): void {
    this.arrived.push({ headers, text, notice: JSON.parse(text) as Notice });
    this.reply(response, this.arrived.length);
    for (const look of [...this.looks]) look();
  }
}
