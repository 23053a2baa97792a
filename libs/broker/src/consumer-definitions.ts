import { FLOW, LIMITS, SERVICES, type ConsumerSpec, type ServiceName } from '@countersign/contracts';
import { AckPolicy, DeliverPolicy, ReplayPolicy, type ConsumerConfig } from '@nats-io/jetstream';

export interface ConsumerDefinition {
  readonly stream: string;
  /** The service's own name. */
  readonly name: ServiceName;
  readonly config: Partial<ConsumerConfig>;
}

/** Subjects a consumer is shown; empty: all of the stream. They never overlap, as the server demands. */
export function consumerFilters(spec: ConsumerSpec, service: ServiceName): string[] {
  if (spec.from === 'everything') return [];
  if (spec.from === 'timers') return [`timer.${service}.fire.>`];
  if (spec.from === 'outbox') return [`outbox.${service}.>`];
  return spec.from.map(({ aggregate, author }) => `evt.*.*.${aggregate}.*.${author}.*`);
}

/** Names of the consumer, and settings that change nothing of what is delivered. `max_waiting` has a default of the server. */
export const HARMLESS_CONSUMER_SETTINGS = ['name', 'description', 'metadata', 'max_waiting', 'num_replicas', 'filter_subject'] as const;

export function consumerDefinitions(): ConsumerDefinition[] {
  return SERVICES.flatMap((service) => FLOW[service].consumes.map((spec) => ({ stream: spec.stream, name: service, config: configOf(spec, service) })));
}

/**
 * Pulled, from the stream's beginning, redelivered until LIMITS.maxDeliver and then told to ADVISORIES. Acknowledged one
 * by one, but for who takes everything in order and acknowledges up to what is committed. No back-off list: the service answers a failure with a delay of its own, and the list would replace ack_wait.
 */
function configOf(spec: ConsumerSpec, service: ServiceName): Partial<ConsumerConfig> {
  return {
    durable_name: service,
    ack_policy: spec.from === 'everything' ? AckPolicy.All : AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    replay_policy: ReplayPolicy.Instant,
    ack_wait: LIMITS.ackWaitMs * 1_000_000,
    max_deliver: spec.from === 'outbox' ? LIMITS.outboxMaxDeliver : LIMITS.maxDeliver,
    max_ack_pending: spec.from === 'outbox' ? LIMITS.outboxMaxAckPending : LIMITS.maxAckPending,
    filter_subjects: consumerFilters(spec, service),
    backoff: [],
    deliver_subject: '',
    headers_only: false,
    inactive_threshold: 0,
    mem_storage: false,
    num_replicas: 0,
  };
}
