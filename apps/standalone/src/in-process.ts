import { definition as audit } from '@countersign/app-audit';
import { definition as executor } from '@countersign/app-executor';
import { definition as gateway } from '@countersign/app-gateway';
import { definition as notifier } from '@countersign/app-notifier';
import { definition as planner } from '@countersign/app-planner';
import { definition as policy } from '@countersign/app-policy';
import { definition as previewFanout } from '@countersign/app-preview-fanout';
import { definition as runEngine } from '@countersign/app-run-engine';
import type { ServiceName } from '@countersign/contracts';
import { hostService, type RunningService, type ServiceConfig } from '@countersign/service-host';
import { boundHeap } from './bounded-heap.js';

/** In the order of starting: the gateway last, so that whoever reaches it finds the rest. */
const DEFINITIONS = [audit, planner, previewFanout, policy, executor, runEngine, notifier, gateway];

export interface Fleet {
  /** Of the gateway. */
  readonly url: string;
  /** The gateway first, then the rest. */
  stop(): Promise<void>;
}

/** All services in this process, each with its own Nest application, connection and NATS account. */
export async function startInProcess(configs: Record<ServiceName, ServiceConfig>): Promise<Fleet> {
  boundHeap();
  const running: RunningService[] = [];
  const stop = async (): Promise<void> => {
    for (const service of [...running].reverse()) await service.close();
  };
  try {
    for (const definition of DEFINITIONS) running.push(await hostService(definition, configs[definition.service]));
  } catch (error) {
    await stop();
    throw error;
  }
  const url = running.at(-1)?.url;
  if (!url) throw new Error('the gateway does not say where it listens');
  return { url, stop };
}
