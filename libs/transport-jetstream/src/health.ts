import type { JetStreamManager } from '@nats-io/jetstream';
import type { ServiceHealth, ServiceName } from '@countersign/contracts';
import { infoOf } from './consumer-binding.js';
import type { ConsumerRunner } from './consumer-runner.js';

export interface HealthSources {
  readonly service: ServiceName;
  readonly version: string;
  readonly instance: string;
  readonly manager: JetStreamManager;
  readonly runners: readonly ConsumerRunner[];
  readonly startedAt: number;
  readonly draining: boolean;
}

/** @throws GateError UNAVAILABLE when the broker does not say how far its consumers are: that is not healthy */
export async function healthOf(sources: HealthSources): Promise<ServiceHealth> {
  const { service, version, instance, draining } = sources;
  const consumers = await Promise.all(sources.runners.map(async (runner) => {
    const { stream, consumer } = runner.options;
    const info = await infoOf(sources.manager, stream, consumer);
    return { stream, lag: info.num_pending, unacknowledged: info.num_ack_pending, ...runner.stats };
  }));
  return { service, version, instance, upMs: Date.now() - sources.startedAt, draining, consumers };
}
