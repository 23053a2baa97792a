import type { ServerResponse } from 'node:http';
import { LIMITS } from '@countersign/contracts';
import type { Problem } from '@countersign/contracts/http';

/** Writes server-sent events as fast as the reader takes them, and cuts off a reader that takes nothing. */
export class SseWriter {
  constructor(private readonly response: ServerResponse, private readonly stalledMs: number = LIMITS.sseStalledMs) {}

  /** The connection ends with the stream: kept alive, it would hold a shutdown up. */
  open(headers: Readonly<Record<string, string>>): void {
    this.response.writeHead(200, {
      connection: 'close',
      'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store', 'x-accel-buffering': 'no', ...headers,
    });
    this.response.flushHeaders();
  }

  event(cursor: string, name: string, data: object): Promise<boolean> {
    return this.write(`id: ${cursor}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  /** Moves the reader's last event id without an event. */
  cursor(cursor: string): Promise<boolean> {
    return this.write(`id: ${cursor}\n\n`);
  }

  keepAlive(): Promise<boolean> {
    return this.write(': alive\n\n');
  }

  /** The last thing a stream says when it cannot go on. */
  problem(problem: Problem): Promise<boolean> {
    return this.write(`event: problem\ndata: ${JSON.stringify(problem)}\n\n`);
  }

  end(): void {
    if (!this.response.writableEnded) this.response.end();
  }

  /** False when the reader is gone, or was cut off. */
  private async write(block: string): Promise<boolean> {
    if (this.response.destroyed || this.response.writableEnded) return false;
    if (this.response.write(block)) return true;
    const drained = await this.drained();
    if (!drained) this.response.destroy();
    return drained;
  }

  private drained(): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (drained: boolean) => () => {
        clearTimeout(timer);
        this.response.off('drain', onDrain);
        this.response.off('close', onClose);
        resolve(drained);
      };
      const onDrain = settle(true);
      const onClose = settle(false);
      const timer = setTimeout(onClose, this.stalledMs);
      this.response.once('drain', onDrain);
      this.response.once('close', onClose);
    });
  }
}
