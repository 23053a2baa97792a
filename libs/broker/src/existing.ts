import type { ConsumerInfo, JetStreamManager } from '@nats-io/jetstream';
import { HARMLESS_CONSUMER_SETTINGS, type ConsumerDefinition } from './consumer-definitions.js';
import { differingSettings } from './differences.js';
import { HARMLESS_STREAM_SETTINGS, type StreamDefinition } from './stream-definitions.js';

/** A stream or consumer that exists and is not as it must be. */
export interface Existing {
  /** `stream GATE`, `consumer GATE/policy`. */
  readonly name: string;
  /** `max_age is 5, must be 0`. */
  readonly differences: readonly string[];
  /** Makes it as it must be. Absent where that is not for a job to do: something stored or protected could be lost. */
  readonly update?: () => Promise<void>;
}

/** How a consumer's messages are handed out; what is stored and what is acknowledged stay as they are. */
const UPDATABLE_OF_CONSUMER: readonly string[] = ['filter_subjects', 'max_deliver', 'max_ack_pending', 'ack_wait'];

export async function existingStreams(manager: JetStreamManager, definitions: readonly StreamDefinition[]): Promise<Existing[]> {
  const all = await Promise.all(definitions.map(async (definition): Promise<Existing> => {
    const { name, subjects } = definition;
    const { config } = await manager.streams.info(name);
    const found = differingSettings(definition, config, HARMLESS_STREAM_SETTINGS);
    // An older version knew fewer kinds of facts. Taking in more loses nothing; taking in less could refuse what somebody still writes.
    const isNarrower = found.every(({ setting }) => setting === 'subjects') && config.subjects.every((subject) => subjects.includes(subject));
    return {
      name: `stream ${name}`, differences: found.map(({ text }) => text),
      ...(isNarrower ? { update: async (): Promise<void> => { await manager.streams.update(name, { subjects }); } } : {}),
    };
  }));
  return all.filter(({ differences }) => differences.length > 0);
}

export async function existingConsumers(manager: JetStreamManager, definitions: readonly ConsumerDefinition[]): Promise<Existing[]> {
  const all = await Promise.all(definitions.map(async ({ stream, name, config }): Promise<Existing> => {
    const found = differingSettings(config, filtersAsList(await manager.consumers.info(stream, name)), HARMLESS_CONSUMER_SETTINGS);
    const wanted = Object.fromEntries(found.map(({ setting }) => [setting, config[setting as keyof typeof config]]));
    const isUpdatable = found.every(({ setting }) => UPDATABLE_OF_CONSUMER.includes(setting));
    return {
      name: `consumer ${stream}/${name}`, differences: found.map(({ text }) => text),
      ...(isUpdatable ? { update: async (): Promise<void> => { await manager.consumers.update(stream, name, { filter_subjects: config.filter_subjects!, filter_subject: undefined, ...wanted }); } } : {}),
    };
  }));
  return all.filter(({ differences }) => differences.length > 0);
}

/** The server reports a single filter under another name. */
const filtersAsList = ({ config }: ConsumerInfo): object => ({
  ...config, filter_subjects: config.filter_subjects ?? (config.filter_subject ? [config.filter_subject] : []),
});
