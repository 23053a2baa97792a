import { jetstreamManager, JetStreamApiCodes, JetStreamApiError, type ConsumerInfo, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { consumerDefinitions, type ConsumerDefinition } from './consumer-definitions.js';
import { existingConsumers, existingStreams, type Existing } from './existing.js';
import { BrokerUnsuitable, serverProblems } from './server-check.js';
import { streamDefinitions, type StreamDefinition } from './stream-definitions.js';

export interface SetUpOptions {
  /** 1 alone, 3 in a cluster. */
  readonly replicas: number;
  /**
   * Also brings what an older version set up to what this one needs, where nothing can be lost by it: a stream takes in more
   * subjects, a consumer is handed other messages or more of them. No service of the older version may run.
   */
  readonly update?: boolean;
}

export interface SetUpReport {
  /** What did not exist before: `stream GATE`, `consumer GATE/policy`. */
  readonly created: readonly string[];
  /** What an older version had set up otherwise. */
  readonly updated: readonly string[];
}

/**
 * The set-up job: creates the streams and consumers that are missing, then reads all of them back and compares. It
 * changes nothing that exists unless it is told to update, so it may run at every start and beside itself.
 * @param connection of the set-up user (`connectSetUp`)
 * @throws BrokerUnsuitable naming each setting that differs, and the way out
 */
export async function setUpBroker(connection: NatsConnection, { replicas, update = false }: SetUpOptions): Promise<SetUpReport> {
  refuseIf(serverProblems(connection), BY_HAND);
  const manager = await jetstreamManager(connection);
  const streams = streamDefinitions(replicas);
  const consumers = consumerDefinitions();
  const created = await createMissing(manager, streams, consumers);
  const differing = async (): Promise<Existing[]> => [...await existingStreams(manager, streams), ...await existingConsumers(manager, consumers)];
  const found = await differing();
  const beyondUs = [...found.filter((one) => !one.update).flatMap(problemsOf), ...await strangers(manager, streams, consumers)];
  refuseIf(beyondUs, BY_HAND);
  if (!update) refuseIf(found.flatMap(problemsOf), BY_UPDATE);
  for (const one of found) await one.update?.();
  if (found.length > 0) refuseIf((await differing()).flatMap(problemsOf), BY_HAND);
  return { created, updated: found.map(({ name }) => name) };
}

const BY_HAND = 'Way out: correct what is named with the set-up user, or start on an empty broker.';
const BY_UPDATE = 'Way out: an older version set it up so. Stop its services, then run the set-up job once more and let it update (--update); nothing that is stored changes.';

const problemsOf = ({ name, differences }: Existing): string[] => differences.map((difference) => `${name}: ${difference}`);

function refuseIf(problems: readonly string[], wayOut: string): void {
  if (problems.length === 0) return;
  throw new BrokerUnsuitable('The broker is not as the log needs it, and what exists is never changed by itself:', problems, wayOut);
}

async function createMissing(manager: JetStreamManager, streams: readonly StreamDefinition[], consumers: readonly ConsumerDefinition[]): Promise<string[]> {
  const created: string[] = [];
  for (const stream of streams) if (await createStream(manager, stream)) created.push(`stream ${stream.name}`);
  for (const consumer of consumers) if (await createConsumer(manager, consumer)) created.push(`consumer ${consumer.stream}/${consumer.name}`);
  return created;
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
