import type { Server, ServerResponse } from 'node:http';
import type { OnModuleDestroy } from '@nestjs/common';
import { LIMITS } from '@countersign/contracts';

const SWEEP_MS = 50;

/**
 * Ends what lasts: event streams and held answers stop when their caller is gone, and all of them when the process is
 * told to stop, before the server waits for its connections.
 */
export class Lifetime implements OnModuleDestroy {
  private readonly open = new Set<AbortController>();
  private over = false;
  private whenEmpty: () => void = () => undefined;

  get isStopping(): boolean {
    return this.over;
  }

  /** Aborted when this request's connection closes early, or at shutdown. */
  signalFor(response: ServerResponse): AbortSignal {
    const controller = new AbortController();
    if (this.over) controller.abort();
    this.open.add(controller);
    response.once('close', () => {
      this.open.delete(controller);
      if (!response.writableFinished) controller.abort();
      if (this.open.size === 0) this.whenEmpty();
    });
    return controller.signal;
  }

  onModuleDestroy(): void {
    this.over = true;
    for (const controller of this.open) controller.abort();
  }

  /**
   * Waits for the answers that are on their way, at most `LIMITS.shutdownDrainMs`, then closes what connections are left:
   * one that a client opened and never used counts as busy for node, and nothing would ever end it.
   */
  async drain(server: Server): Promise<void> {
    await this.answered();
    server.closeAllConnections();
    const sweep = setInterval(() => server.closeAllConnections(), SWEEP_MS);
    server.once('close', () => clearInterval(sweep));
    sweep.unref();
  }

  private async answered(): Promise<void> {
    if (this.open.size === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.whenEmpty = resolve;
      timer = setTimeout(resolve, LIMITS.shutdownDrainMs);
    });
    clearTimeout(timer);
  }
}
