import { FLOW, type ServiceName } from '@countersign/contracts';
import { HARMLESS_CONSUMER_SETTINGS, consumerDefinitions } from './consumer-definitions.js';
import type { ServiceConnection } from './connect.js';
import { differences } from './differences.js';
import { streamsUsedBy } from './grants.js';
import { BrokerUnsuitable, serverProblems } from './server-check.js';
import { HARMLESS_STREAM_SETTINGS, streamDefinitions } from './stream-definitions.js';

/**
 * What a service checks before it serves anything: the server's version and API level, the configuration of every
 * stream it uses as the server reports it, and that its own consumers exist and see what they must. The number of
 * replicas is the set-up job's to check.
 * @throws BrokerUnsuitable naming what is missing or differs
 */
export async function checkBroker(service: ServiceName, broker: ServiceConnection): Promise<void> {
  const problems = [
    ...serverProblems(broker.connection),
    ...(await Promise.all(streamsUsedBy(service).map((stream) => streamProblems(broker, stream)))).flat(),
    ...(await Promise.all(FLOW[service].consumes.map(({ stream }) => consumerProblems(broker, service, stream)))).flat(),
  ];
  if (problems.length === 0) return;
  throw new BrokerUnsuitable(`${service} does not start, because the broker is not as it must be:`, problems,
    'Way out: run the set-up job on a nats-server of version 2.14 or newer, and look at what it says.');
}

async function streamProblems({ manager }: ServiceConnection, name: string): Promise<string[]> {
  const { num_replicas: _replicas, ...required } = streamDefinitions(1).find((definition) => definition.name === name)!;
  try {
    const { config } = await manager.streams.info(name);
    return differences(required, config, HARMLESS_STREAM_SETTINGS).map((difference) => `stream ${name}: ${difference}`);
  } catch (error) {
    return [`stream ${name} cannot be looked at: ${(error as Error).message}`];
  }
}

async function consumerProblems({ manager }: ServiceConnection, service: ServiceName, stream: string): Promise<string[]> {
  const { config: required } = consumerDefinitions().find((consumer) => consumer.name === service && consumer.stream === stream)!;
  try {
    const { config } = await manager.consumers.info(stream, service);
    const filters = config.filter_subjects ?? (config.filter_subject ? [config.filter_subject] : []);
    return differences(required, { ...config, filter_subjects: filters }, HARMLESS_CONSUMER_SETTINGS).map((difference) => `consumer ${stream}/${service}: ${difference}`);
  } catch (error) {
    return [`consumer ${stream}/${service} cannot be looked at: ${(error as Error).message}`];
  }
}
