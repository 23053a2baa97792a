import { monotonicMs } from './lease.js';

const TURN_MS = 50;

/**
 * Knows since when this process has been reading its socket. A process that was stopped for a while (SIGSTOP, a paused
 * machine, a long computation) finds messages that were delivered before; their leases count from before the pause.
 */
export class LoopWatch {
  private previous = monotonicMs();
  private last = this.previous;
  private readonly timer = setInterval(() => this.turn(), TURN_MS).unref();

  /**
   * Whatever is read from the socket now was not there at this moment. It is the turn *before* the last one, because
   * after a pause the timer runs before the socket is read.
   */
  readingSince(): number {
    return this.previous;
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private turn(): void {
    this.previous = this.last;
    this.last = monotonicMs();
  }
}
