import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readLocalState, type LocalState } from '@countersign/app-cli';
import { CountersignClient } from '@countersign/sdk';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Finished { readonly code: number | null; readonly stdout: string; readonly stderr: string }

/** Runs one of the project's commands to its end, as a user would. */
export async function run(script: 'start' | 'countersign' | 'bench', args: readonly string[], env: NodeJS.ProcessEnv): Promise<Finished> {
  const child = launch(script, args, env);
  const output = collect(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...output() };
}

/** The gate as `npm start` runs it, on a state folder of its own. */
export interface RunningGate {
  readonly state: LocalState;
  readonly folder: string;
  readonly admin: CountersignClient;
  readonly operator: CountersignClient;
  readonly agent: CountersignClient;
  readonly env: NodeJS.ProcessEnv;
  /** What it has printed on standard error: progress, and ends of services. */
  progress(): string;
  /** What it has printed on standard output: where it is, and its processes. */
  ready(): string;
  /** Resolves when standard error holds `text` after what it holds now. */
  says(text: string): Promise<void>;
  cli(...args: string[]): Promise<Finished>;
  /** Ctrl-C, and the end. The state folder stays. */
  stop(): Promise<Finished>;
}

export async function newStateFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-e2e-'));
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/** @throws Error with everything it printed when it ends before it is ready */
export async function startGate(folder: string, args: readonly string[] = ['--no-demo'], more: NodeJS.ProcessEnv = {}): Promise<RunningGate> {
  const env = { COUNTERSIGN_STATE: folder, PORT: '0', COUNTERSIGN_LOG: 'error', ...more };
  const child = launch('start', args, env);
  const output = collect(child);
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, ...output() }));
  const early = ended.then((end) => Promise.reject(new Error(`npm start ended with ${end.code}:\n${end.stdout}\n${end.stderr}`)));
  await Promise.race([appears(child.stdout!, () => output().stdout, 'Countersign is ready.'), early]);
  early.catch(() => undefined);
  const state = readLocalState(folder)!;
  return {
    state, folder, env,
    admin: new CountersignClient({ url: state.url, apiKey: state.key }),
    operator: new CountersignClient({ url: state.url, apiKey: state.operatorKey }),
    agent: new CountersignClient({ url: state.url, apiKey: state.demo.agentKey }),
    progress: () => output().stderr,
    ready: () => output().stdout,
    says: (text) => {
      const from = output().stderr.length;
      return appears(child.stderr!, () => output().stderr.slice(from), text);
    },
    cli: (...cliArgs) => run('countersign', cliArgs, env),
    stop: async () => {
      child.kill('SIGINT');
      return ended;
    },
  };
}

function launch(script: string, args: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  const { NODE_OPTIONS: _jestOnly, ...inherited } = process.env;
  return spawn(process.execPath, [join(ROOT, 'scripts', `${script}.mjs`), ...args], { cwd: ROOT, env: { ...inherited, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
}

function collect(child: ChildProcess): () => { stdout: string; stderr: string } {
  const chunks = { stdout: '', stderr: '' };
  child.stdout!.setEncoding('utf8').on('data', (text: string) => { chunks.stdout += text; });
  child.stderr!.setEncoding('utf8').on('data', (text: string) => { chunks.stderr += text; });
  return () => ({ ...chunks });
}

function appears(stream: NodeJS.ReadableStream, soFar: () => string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!soFar().includes(text)) return;
      stream.off('data', look);
      resolve();
    };
    stream.on('data', look);
    look();
  });
}
