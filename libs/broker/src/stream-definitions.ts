import { ADVISORIES_STREAM, ADVISORY_SUBJECTS, FLOW, LIMITS, LOG_STREAMS, SERVICES, STREAM_OF, type AggregateName, type LogStream } from '@countersign/contracts';
import { DiscardPolicy, RetentionPolicy, StorageType, type StreamConfig } from '@nats-io/jetstream';

export type StreamDefinition = Partial<StreamConfig> & Pick<StreamConfig, 'name' | 'subjects'>;

const MS = 1_000_000; // nanoseconds
const HEADERS_BYTES = 16 * 1024;
const ADVISORIES_AGE_MS = 90 * 24 * 3_600_000;

/**
 * What each stream must be. Every setting that could change or lose a message stands here with the value it must have,
 * also where that is the server's default, because the set-up job and the start checks compare exactly what stands here.
 */
const EVERY: Partial<StreamConfig> = {
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  max_consumers: -1,
  max_msgs: -1,
  max_bytes: -1,
  max_age: 0,
  max_msgs_per_subject: -1,
  max_msg_size: -1,
  // A full stream refuses; it never forgets the oldest to take the newest.
  discard: DiscardPolicy.New,
  discard_new_per_subject: false,
  // Message ids are not used; this is the least the server takes.
  duplicate_window: 100 * MS,
  deny_delete: true,
  deny_purge: true,
  allow_direct: true,
  mirror_direct: false,
  allow_rollup_hdrs: false,
  allow_msg_ttl: false,
  allow_msg_schedules: false,
  allow_msg_counter: false,
  allow_atomic: false,
  allow_batched: false,
  no_ack: false,
  // Anything but the default acknowledges before it has stored.
  persist_mode: undefined,
  sealed: false,
  mirror: undefined,
  sources: undefined,
  republish: undefined,
  subject_transform: undefined,
  subject_delete_marker_ttl: 0,
};

/** Settings an operator may choose; none of them changes what is stored or who sees it. */
export const HARMLESS_STREAM_SETTINGS = ['description', 'metadata', 'compression', 'placement', 'num_replicas'] as const;

/** All streams of the broker. @param replicas 1 alone, 3 in a cluster */
export function streamDefinitions(replicas: number): StreamDefinition[] {
  const streams = [...LOG_STREAMS.map(logStream), ...timerStreams(), blobStream('BLOBS', 'blob.>', 0), blobStream('RESULTS', 'result.>', LIMITS.resultsAgeMs), outbox(), advisories()];
  return streams.map((stream) => ({ ...stream, num_replicas: replicas }));
}

/** The log itself: nothing in it is ever changed, and every append is shown to the live feed. */
function logStream(name: LogStream): StreamDefinition {
  const aggregates = (Object.keys(STREAM_OF) as AggregateName[]).filter((aggregate) => STREAM_OF[aggregate] === name);
  return {
    ...EVERY,
    name,
    subjects: aggregates.map((aggregate) => `evt.*.*.${aggregate}.>`),
    max_msg_size: LIMITS.eventBytes + HEADERS_BYTES,
    republish: { src: 'evt.>', dest: 'live.evt.>' },
  };
}

/**
 * A service's timers: what it sets is a schedule, which the server turns into a message to `fire` at its time. Schedules
 * make the server allow rollups and purges by header, which is why they are never in a log. Fired ones go when acknowledged.
 */
function timerStreams(): StreamDefinition[] {
  return SERVICES.filter((service) => FLOW[service].timers).map((service) => ({
    ...EVERY,
    name: `TIMER_${service}`,
    subjects: [`timer.${service}.>`],
    retention: RetentionPolicy.Workqueue,
    discard: DiscardPolicy.Old, // the server takes no schedules otherwise; without limits it makes no difference
    allow_msg_schedules: true,
    allow_rollup_hdrs: true,
    deny_delete: false,
    deny_purge: false,
  }));
}

/** Bodies by digest: each part is written once, a second write of it is refused. */
function blobStream(name: 'BLOBS' | 'RESULTS', subject: string, ageMs: number): StreamDefinition {
  return { ...EVERY, name, subjects: [subject], max_age: ageMs * MS, max_msgs_per_subject: 1, discard_new_per_subject: true, max_msg_size: LIMITS.blobPartBytes + HEADERS_BYTES };
}

/** What is to be delivered outside, one message a delivery: a second write of it is refused. It is kept for a while, so that a person can have it delivered again. */
function outbox(): StreamDefinition {
  return {
    ...EVERY, name: 'OUTBOX', subjects: SERVICES.filter((service) => FLOW[service].outbox).map((service) => `outbox.${service}.>`),
    max_age: LIMITS.outboxAgeMs * MS, max_msgs_per_subject: 1, discard_new_per_subject: true, max_msg_size: LIMITS.eventBytes + HEADERS_BYTES,
  };
}

/** What the server itself says of deliveries that ended without their handler's consent. */
function advisories(): StreamDefinition {
  return { ...EVERY, name: ADVISORIES_STREAM, subjects: [...ADVISORY_SUBJECTS], max_age: ADVISORIES_AGE_MS * MS };
}
