import type { JetStreamManager } from '@nats-io/jetstream';
import { LIMITS } from '@countersign/contracts';
import { consumerDefinitions } from '../src/consumer-definitions.js';
import { streamDefinitions } from '../src/stream-definitions.js';

/** What the first version set up otherwise: no grants, no notifier, and two services that were handed a plan's first fact only. */
const SUBJECTS: Readonly<Record<string, readonly string[]>> = {
  CATALOG: ['evt.*.*.tenant.>', 'evt.*.*.provider.>', 'evt.*.*.policy.>'],
};
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  'GATE/preview-fanout': ['evt.*.*.plan.*.planner.1'],
  'GATE/policy': ['evt.*.*.plan.*.planner.1', 'evt.*.*.plan.*.preview-fanout.*'],
};
const UNKNOWN_STREAMS = ['OUTBOX'];
const UNKNOWN_CONSUMERS = ['GATE/planner', 'GATE/notifier', 'OUTBOX/notifier'];

/** A broker as the first version left it. */
export async function setUpAsFirstVersion(manager: JetStreamManager): Promise<void> {
  for (const stream of streamDefinitions(1).filter(({ name }) => !UNKNOWN_STREAMS.includes(name))) {
    const subjects = SUBJECTS[stream.name] ?? stream.subjects.filter((subject) => subject !== 'dead.notifier.retries');
    await manager.streams.add({ ...stream, subjects: [...subjects] });
  }
  for (const { stream, name, config } of consumerDefinitions().filter((one) => !UNKNOWN_CONSUMERS.includes(`${one.stream}/${one.name}`))) {
    await manager.consumers.add(stream, { ...config, filter_subjects: [...FILTERS[`${stream}/${name}`] ?? config.filter_subjects!] });
  }
  if (LIMITS.maxDeliver !== 20 || LIMITS.maxAckPending !== 20_000) throw new Error('the first version had other bounds: say them here');
}
