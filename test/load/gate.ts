import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { LocalState } from '@countersign/app-cli';
import { CountersignClient } from '@countersign/sdk';
import { HttpLoad } from './http-load.js';

export interface GateUnderLoad {
  readonly admin: CountersignClient;
  readonly operator: CountersignClient;
  readonly http: HttpLoad;
  readonly natsUrl: string;
  readonly databaseUrl: string;
  /** Resident memory of the process that holds the services, MiB. */
  memoryMiB(): number;
  stop(): Promise<void>;
}

interface Hello { readonly state: LocalState; readonly natsUrl: string; readonly databaseUrl: string }

/** @param options.folder kept between starts, so that one log can be measured under either sync mode */
export async function startGateUnderLoad(options: { folder: string; sync: 'always' | 'default'; topology: 'one' | 'processes' }): Promise<GateUnderLoad> {
  const child = fork(fileURLToPath(new URL('gate-process.js', import.meta.url)), [options.folder, options.sync, options.topology], { stdio: ['ignore', 2, 2, 'ipc'] });
  const hello = await Promise.race([
    once(child, 'message').then(([message]) => message as Hello),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`the gate did not start (exit ${code})`))),
  ]);
  const { state } = hello;
  const http = new HttpLoad(state.url, state.key);
  return {
    admin: new CountersignClient({ url: state.url, apiKey: state.key, timeoutMs: 600_000 }),
    operator: new CountersignClient({ url: state.url, apiKey: state.operatorKey, timeoutMs: 600_000 }),
    http,
    natsUrl: hello.natsUrl,
    databaseUrl: hello.databaseUrl,
    memoryMiB: () => residentMiB(child.pid!),
    stop: async () => {
      http.close();
      child.send('stop');
      await once(child, 'exit');
    },
  };
}

function residentMiB(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? Number.NaN) / 1024;
}
