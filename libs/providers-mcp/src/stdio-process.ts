import { spawn, type ChildProcess } from 'node:child_process';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { JSONRPCMessageSchema, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import { LIMITS, type ProviderEndpoint } from '@countersign/contracts';
import { dyingWithUs } from './dying-with-us.js';
import { serverEnvironment } from './environment.js';

export type StdioEndpoint = Extract<ProviderEndpoint, { transport: 'mcp-stdio' }>;

/** A result stands twice in a message (text and structured), each time escaped; a longer line ends the process. */
const LINE_BYTES = LIMITS.resultBytes * 4;
/** A banner on stdout breaks the protocol but harms nobody while no call waits for its answer. */
const STRAY_LINES = 100;
const END_GRACE_MS = 500;
/** Of a program that starts another one, as shells have it: here, of the one that makes it die with us. */
const COMMAND_NOT_FOUND = 127;

const living = new Set<number>();
process.on('exit', () => living.forEach(killGroup));

/** Why the process is no more, as far as its callers need to know. */
export type Ending = 'closed' | 'crashed' | 'garbage' | 'line_too_long';

/**
 * One server process and its stdio as an MCP transport. Unlike the SDK's own: only the environment that was named, a
 * process group of its own that is killed as a whole, an end with this process, a bound on every line, and garbage in mid-call ends the process.
 */
export class StdioProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  /** Set once the process has gone. */
  ending: Ending | undefined;
  /** Says whether a call waits for an answer. */
  awaiting: () => boolean = () => false;

  private child: ChildProcess | undefined;
  private parts: Buffer[] = [];
  private size = 0;
  private strayLines = 0;
  private exited: Promise<void> = Promise.resolve();

  constructor(private readonly endpoint: StdioEndpoint) {}

  async start(): Promise<void> {
    const { command, env, cwd } = this.endpoint;
    const { program, args } = dyingWithUs(command, this.endpoint.args);
    const child = spawn(program, [...args], { cwd, env: serverEnvironment(env), stdio: ['pipe', 'pipe', 'ignore'], detached: true, shell: false });
    this.child = child;
    this.exited = new Promise((resolve) => child.once('close', () => { this.ended('crashed'); resolve(); }));
    child.stdin!.on('error', () => undefined); // a broken pipe: 'close' follows and says it all
    child.stdout!.on('data', (chunk: Buffer) => this.received(chunk));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    living.add(child.pid!);
  }

  /** How its process ended by itself, in words that hold nothing of what it printed; undefined while it runs, or when we ended it. */
  get howItEnded(): string | undefined {
    const { exitCode, signalCode } = this.child ?? {};
    if (this.ending === 'garbage' || this.ending === 'line_too_long') return 'wrote something that is not MCP on its standard output';
    if (exitCode === COMMAND_NOT_FOUND) return 'was not found, or may not be run';
    if (typeof exitCode === 'number') return `ended with exit code ${exitCode}`;
    return signalCode && this.ending === 'crashed' ? `was ended by ${signalCode}` : undefined;
  }

  /** When it has ended, or after a moment. A broken pipe tells of an end before its exit code is known. */
  async endedSoon(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([this.exited, new Promise((resolve) => { timer = setTimeout(resolve, END_GRACE_MS); })]);
    clearTimeout(timer);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (this.ending || !stdin?.writable) throw new Error('the server process has ended');
    await new Promise<void>((resolve, reject) => stdin.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve())));
  }

  /** Lets the server end by itself for a moment, then kills its whole group. */
  async close(): Promise<void> {
    const wasEnding = this.ending;
    this.ended('closed');
    if (!this.child?.pid) return;
    if (!wasEnding) {
      this.child.stdin?.end();
      await this.endedSoon();
    }
    killGroup(this.child.pid);
    await this.exited;
  }

  /** At once, without a chance to finish: whatever it was doing, it does no more. */
  async kill(): Promise<void> {
    this.ended('closed');
    if (this.child?.pid) killGroup(this.child.pid);
    await this.exited;
  }

  private received(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(10); end !== -1 && !this.ending; end = rest.indexOf(10)) {
      const line = Buffer.concat([...this.parts, rest.subarray(0, end)]).toString('utf8');
      this.parts = [];
      this.size = 0;
      rest = rest.subarray(end + 1);
      this.line(line.trim());
    }
    if (this.ending) return;
    this.parts.push(rest);
    this.size += rest.length;
    if (this.size > LINE_BYTES) this.abandon('line_too_long');
  }

  private line(text: string): void {
    if (text === '') return;
    const message = parseMessage(text);
    if (message) this.onmessage?.(message);
    else if (this.awaiting() || (this.strayLines += 1) > STRAY_LINES) this.abandon('garbage');
  }

  private abandon(why: Ending): void {
    this.ended(why);
    if (this.child?.pid) killGroup(this.child.pid);
  }

  private ended(why: Ending): void {
    if (this.child?.pid && this.child.exitCode !== null) living.delete(this.child.pid);
    if (this.ending) return;
    this.ending = why;
    this.parts = [];
    this.onclose?.();
  }
}

function parseMessage(text: string): JSONRPCMessage | undefined {
  try {
    return JSONRPCMessageSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** The group outlives its leader when the server started processes of its own; both may be gone already. */
function killGroup(pid: number): void {
  living.delete(pid);
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
