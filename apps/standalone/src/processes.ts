import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { SERVICES, type ServiceName } from '@countersign/contracts';
import type { ServiceConfig } from '@countersign/service-host';
import type { Fleet } from './in-process.js';
import { writePrivateJson } from './private-file.js';
import type { Progress } from './progress.js';
import { serviceEnvironment } from './service-environment.js';

/** How long a service that died is left alone before it is started again. */
const RESTART_MS = 500;
const STOP_MS = 15_000;

export interface ProcessFleet extends Fleet {
  /** Of the running process; changes when it is started again. */
  pid(service: ServiceName): number | undefined;
  /** Resolves when the service is ready again after its next death. */
  restarted(service: ServiceName): Promise<void>;
}

/** Every service in a process of its own, in its own NATS account; one that dies is started again, and says so. */
export async function startProcesses(configs: Record<ServiceName, ServiceConfig>, folder: string, progress: Progress): Promise<ProcessFleet> {
  const supervised = new Map<ServiceName, Supervised>();
  const stop = async (): Promise<void> => {
    for (const one of supervised.values()) one.leaveDead();
    await supervised.get('gateway')?.stop();
    await Promise.all([...supervised.values()].map((one) => one.stop()));
  };
  try {
    await Promise.all(SERVICES.map(async (service) => {
      const configFile = join(folder, 'services', `${service}.json`);
      await writePrivateJson(configFile, configs[service]);
      const one = new Supervised(service, configFile, progress);
      supervised.set(service, one);
      await one.start();
    }));
  } catch (error) {
    await stop();
    throw error;
  }
  const url = supervised.get('gateway')?.url;
  if (!url) throw new Error('the gateway does not say where it listens');
  return {
    url, stop,
    pid: (service) => supervised.get(service)?.pid,
    restarted: (service) => supervised.get(service)!.restarted(),
  };
}

class Supervised {
  url: string | undefined;
  private child: ChildProcess | undefined;
  private stopping = false;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly service: ServiceName, private readonly configFile: string, private readonly progress: Progress) {}

  get pid(): number | undefined {
    return this.child?.pid;
  }

  restarted(): Promise<void> {
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** @throws Error when it exits before it is ready */
  async start(): Promise<void> {
    const child = fork(programOf(this.service), { env: serviceEnvironment(process.env, this.configFile), stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.child = child;
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => reject(new Error(`${this.service} did not start (${signal ?? `exit ${code}`})`)));
      child.on('message', (message: { ready?: string; url?: string }) => {
        if (message.ready !== this.service) return;
        this.url = message.url ?? this.url;
        child.removeAllListeners('exit');
        child.once('exit', (code, signal) => void this.died(signal ?? `exit ${code}`));
        resolve();
      });
    });
  }

  /** From now on its end is no accident. */
  leaveDead(): void {
    this.stopping = true;
  }

  async stop(): Promise<void> {
    this.leaveDead();
    const child = this.child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const killer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    await once(child, 'exit');
    clearTimeout(killer);
  }

  private async died(how: string): Promise<void> {
    while (!this.stopping) {
      this.progress.say(`${this.service} has ended (${how}); it is started again`);
      await sleep(RESTART_MS);
      if (this.stopping) return;
      try {
        await this.start();
        this.progress.say(`${this.service} is back, process ${this.pid}`);
        for (const tell of this.waiting.splice(0)) tell();
        return;
      } catch (error) {
        how = (error as Error).message;
      }
    }
  }
}

const programOf = (service: ServiceName): string => fileURLToPath(new URL('main.js', import.meta.resolve(`@countersign/app-${service}`)));
