import type { LocalState } from '@countersign/app-cli';
import { startInProcess, type Fleet } from './in-process.js';
import { choosePort } from './port.js';
import { startProcesses, type ProcessFleet } from './processes.js';
import type { Progress } from './progress.js';
import { loadSecrets } from './secrets.js';
import { startServers, type Servers } from './servers.js';
import { serviceConfigs } from './service-configs.js';
import { lockState } from './state-lock.js';
import { ensureTenant } from './tenant.js';

export interface GateOptions {
  /** Of all data; made when missing. Absolute. */
  readonly folder: string;
  readonly processes: boolean;
  readonly progress: Progress;
  readonly env: NodeJS.ProcessEnv;
  /** Default true. False only to measure. */
  readonly syncAlways?: boolean;
}

export interface Gate {
  readonly state: LocalState;
  /** The state folder was empty before. */
  readonly isNew: boolean;
  readonly servers: Servers;
  /** Only with `processes`. */
  readonly processes: ProcessFleet | undefined;
  /** Drains the services, then stops the servers. Idempotent. */
  stop(): Promise<void>;
}

/** The whole gate on this machine: servers, services, and a tenant to use it as. @throws Error that says what could not be had */
export async function startGate(options: GateOptions): Promise<Gate> {
  const { folder, progress, env } = options;
  const unlock = await lockState(folder);
  const held: { stop(): Promise<void> }[] = [{ stop: unlock }];
  const stop = once(async () => {
    for (const part of held.reverse()) await part.stop();
  });
  try {
    const secrets = await loadSecrets(folder);
    const servers = await startServers({ folder, secrets, progress, env, syncAlways: options.syncAlways ?? true });
    held.push(servers);
    const configs = serviceConfigs({ natsUrl: servers.nats.url, databaseUrl: servers.database.url, port: await choosePort(env) }, secrets);
    const fleet: Fleet | ProcessFleet = await progress.step(options.processes ? 'starting every service in its own process' : 'starting the services', () =>
      (options.processes ? startProcesses(configs, folder, progress) : startInProcess(configs)));
    held.push(fleet);
    const { state, isNew } = await ensureTenant(folder, fleet.url, secrets.operatorKey);
    return { state, isNew, servers, processes: options.processes ? (fleet as ProcessFleet) : undefined, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => (running ??= work());
}
