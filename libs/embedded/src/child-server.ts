import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { SETPRIV } from './setpriv.js';
import { watchUntil } from './watch-until.js';

export interface ChildServerOptions {
  /** For messages: `nats-server`, `postgres`. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
  /** Both output streams are appended to it. */
  readonly logFile: string;
  readonly stopSignal: NodeJS.Signals;
  /** More arguments of `setpriv`, by which the server runs as another user. */
  readonly privileges?: readonly string[];
  /** The same where there is no `setpriv`. */
  readonly identity?: { readonly uid: number; readonly gid: number };
  readonly env?: NodeJS.ProcessEnv;
}

/** How long a server may take over an orderly stop before it is killed. */
const STOP_TIMEOUT_MS = 15_000;

/**
 * One server process of ours. It runs in a session of its own, so that Ctrl-C reaches only this process, which then stops
 * its servers in order; and it ends with this process even when that is killed (Linux: parent-death signal).
 */
export class ChildServer {
  private readonly exit: Promise<void>;
  private ended = false;
  private told = false;
  private readonly leaveWithUs = () => this.signal(this.options.stopSignal);

  private constructor(private readonly child: ChildProcess, private readonly options: ChildServerOptions) {
    this.exit = new Promise((resolve) => child.once('exit', () => {
      this.ended = true;
      process.off('exit', this.leaveWithUs);
      resolve();
    }));
    process.on('exit', this.leaveWithUs);
  }

  /** @throws Error when the program cannot be started at all */
  static async spawn(options: ChildServerOptions): Promise<ChildServer> {
    const [program, ...args] = endingWithParent(options);
    const log = openSync(options.logFile, 'a', 0o600);
    try {
      const child = spawn(program, args, {
        detached: true, stdio: ['ignore', log, log], env: options.env ?? process.env, ...(SETPRIV && options.privileges ? {} : options.identity),
      });
      await new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
      return new ChildServer(child, options);
    } finally {
      closeSync(log);
    }
  }

  get pid(): number {
    return this.child.pid!;
  }

  get running(): boolean {
    return !this.ended;
  }

  /**
   * Waits until `look` finds something; asked again whenever something changes in `folder`.
   * @throws Error with the end of the log when the server ends first or `timeoutMs` is over
   */
  async ready<T>(folder: string, look: () => Promise<T | undefined>, timeoutMs: number): Promise<T> {
    const found = await watchUntil(folder, look, { timeoutMs, giveUp: this.exit });
    if (found !== undefined) return found;
    const why = this.ended ? 'ended before it was ready' : `was not ready after ${timeoutMs} ms`;
    await this.kill();
    throw new Error(`${this.options.name} ${why}. The end of its log (${this.options.logFile}):\n${await this.logTail()}`);
  }

  /** Tells when it has ended and nobody here told it to. */
  whenCrashed(tell: () => void): void {
    void this.exit.then(() => { if (!this.told) tell(); });
  }

  /** Orderly; killed when it takes longer than 15 s. Idempotent. */
  async stop(): Promise<void> {
    this.told = true;
    this.signal('SIGCONT');
    this.signal(this.options.stopSignal);
    const timer = setTimeout(() => this.signal('SIGKILL'), STOP_TIMEOUT_MS);
    await this.exit;
    clearTimeout(timer);
  }

  /** At once, as a crash would. */
  async kill(): Promise<void> {
    this.told = true;
    this.signal('SIGKILL');
    await this.exit;
  }

  /** The signal stops a process of several threads a moment later; Linux tells when each of them stands still. */
  async freeze(): Promise<void> {
    this.signal('SIGSTOP');
    while (this.running && !await standsStill(this.pid)) await new Promise((resolve) => setTimeout(resolve, 1));
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.ended) this.child.kill(signal);
  }

  private async logTail(): Promise<string> {
    const text = await readFile(this.options.logFile, 'utf8').catch(() => '');
    return text.trimEnd().split('\n').slice(-15).join('\n');
  }
}

async function standsStill(pid: number): Promise<boolean> {
  if (process.platform !== 'linux') return true;
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const states = await Promise.all(threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8').catch(() => '')));
  return states.every((stat) => /^\d+ \(.*\) T|^$/.test(stat.trim()));
}

/** Where that tool is missing, the `exit` hook still covers every end but a kill. */
function endingWithParent(options: ChildServerOptions): readonly [string, ...string[]] {
  if (!SETPRIV) return options.command;
  return [SETPRIV, '--pdeathsig', options.stopSignal.replace('SIG', ''), ...(options.privileges ?? []), '--', ...options.command];
}
