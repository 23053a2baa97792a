import type { ServerResponse } from 'node:http';
import type { OnModuleDestroy } from '@nestjs/common';

/**
 * Ends what lasts: event streams and held answers stop when their caller is gone, and all of them when the process is
 * told to stop, before the server waits for its connections.
 */
export class Lifetime implements OnModuleDestroy {
  private readonly open = new Set<AbortController>();
  private over = false;

  get isStopping(): boolean {
    return this.over;
  }

  /** Aborted when this request's connection closes early, or at shutdown. */
  signalFor(response: ServerResponse): AbortSignal {
    const controller = new AbortController();
    if (this.over) controller.abort();
    else this.open.add(controller);
    response.once('close', () => {
      this.open.delete(controller);
      if (!response.writableFinished) controller.abort();
    });
    return controller.signal;
  }

  onModuleDestroy(): void {
    this.over = true;
    for (const controller of this.open) controller.abort();
    this.open.clear();
  }
}
