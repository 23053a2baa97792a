import { jetstreamManager, JetStreamApiCodes, JetStreamApiError, type ConsumerInfo, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { HARMLESS_CONSUMER_SETTINGS, consumerDefinitions, type ConsumerDefinition } from './consumer-definitions.js';
import { differences } from './differences.js';
import { BrokerUnsuitable, serverProblems } from './server-check.js';
import { HARMLESS_STREAM_SETTINGS, streamDefinitions, type StreamDefinition } from './stream-definitions.js';

export interface SetUpReport {
  /** What did not exist before: `stream GATE`, `consumer GATE/policy`. */
  readonly created: readonly string[];
}

/**
 * The set-up job: creates the streams and consumers that are missing, then reads all of them back and compares. It
 * changes nothing that exists, so it may run at every start and beside itself.
 * @param connection of the set-up user (`connectSetUp`)
 * @throws BrokerUnsuitable naming each setting that differs
 */
export async function setUpBroker(connection: NatsConnection, options: { readonly replicas: number }): Promise<SetUpReport> {
  refuseIf(serverProblems(connection));
  const manager = await jetstreamManager(connection);
  const streams = streamDefinitions(options.replicas);
  const consumers = consumerDefinitions();
  const created: string[] = [];
  for (const stream of streams) if (await createStream(manager, stream)) created.push(`stream ${stream.name}`);
  for (const consumer of consumers) if (await createConsumer(manager, consumer)) created.push(`consumer ${consumer.stream}/${consumer.name}`);
  refuseIf([
    ...await differingStreams(manager, streams),
    ...await differingConsumers(manager, consumers),
    ...await strangers(manager, streams, consumers),
  ]);
  return { created };
}

function refuseIf(problems: readonly string[]): void {
  if (problems.length === 0) return;
  throw new BrokerUnsuitable('The broker is not as the log needs it, and what exists is never changed by itself:', problems,
    'Way out: correct what is named with the set-up user, or start on an empty broker.');
}

async function createStream(manager: JetStreamManager, definition: StreamDefinition): Promise<boolean> {
  if (await orNothing(manager.streams.info(definition.name), JetStreamApiCodes.StreamNotFound)) return false;
  await manager.streams.add(definition);
  return true;
}

async function createConsumer(manager: JetStreamManager, { stream, name, config }: ConsumerDefinition): Promise<boolean> {
  if (await orNothing(manager.consumers.info(stream, name), JetStreamApiCodes.ConsumerNotFound)) return false;
  await manager.consumers.add(stream, config);
  return true;
}

async function differingStreams(manager: JetStreamManager, definitions: readonly StreamDefinition[]): Promise<string[]> {
  const lists = await Promise.all(definitions.map(async (definition) => {
    const info = await manager.streams.info(definition.name);
    return differences(definition, info.config, HARMLESS_STREAM_SETTINGS).map((difference) => `stream ${definition.name}: ${difference}`);
  }));
  return lists.flat();
}

async function differingConsumers(manager: JetStreamManager, definitions: readonly ConsumerDefinition[]): Promise<string[]> {
  const lists = await Promise.all(definitions.map(async ({ stream, name, config }) => {
    const info = await manager.consumers.info(stream, name);
    return differences(config, filtersAsList(info), HARMLESS_CONSUMER_SETTINGS).map((difference) => `consumer ${stream}/${name}: ${difference}`);
  }));
  return lists.flat();
}

/** The server reports a single filter under another name. */
const filtersAsList = ({ config }: ConsumerInfo): object => ({
  ...config, filter_subjects: config.filter_subjects ?? (config.filter_subject ? [config.filter_subject] : []),
});

/** Streams and consumers of others in the log's account that could write into the log: nobody may have such a thing. */
async function strangers(manager: JetStreamManager, streams: readonly StreamDefinition[], consumers: readonly ConsumerDefinition[]): Promise<string[]> {
  const ours = new Set(streams.map(({ name }) => name));
  const problems: string[] = [];
  for await (const info of manager.streams.list() as AsyncIterable<StreamInfo>) {
    const { name, republish } = info.config;
    if (!ours.has(name) && republish) problems.push(`stream ${name} is not ours and republishes to ${republish.dest}`);
    const known = new Set<string>(consumers.filter(({ stream }) => stream === name).map((consumer) => consumer.name));
    for await (const consumer of manager.consumers.list(name) as AsyncIterable<ConsumerInfo>) {
      const target = consumer.config.deliver_subject;
      if (!known.has(consumer.name) && target) problems.push(`consumer ${name}/${consumer.name} is not ours and delivers to ${target}`);
    }
  }
  return problems;
}

async function orNothing<T>(asked: Promise<T>, notFound: number): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === notFound) return undefined;
    throw error;
  }
}
