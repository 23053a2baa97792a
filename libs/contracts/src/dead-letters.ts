import { SERVICES, type LogStream, type ServiceName } from './flow.js';

/**
 * A delivery that ended without its handler's consent. Nobody writes it as such: the server's own advisories say it,
 * so a handler that dies cannot lose it. The stream ADVISORIES keeps them, beside what became of each retry.
 */
export interface DeadLetter {
  readonly service: ServiceName;
  /** Of the message: what a person inspects, and what a retry names. */
  readonly stream: LogStream | 'TIMER_planner' | 'OUTBOX';
  readonly sequence: number;
  /** `unparsable`: terminated at once. `failed`: its handler threw to the last. `deliveries`: it was never settled, e.g. it kills its process. */
  readonly kind: 'unparsable' | 'failed' | 'deliveries';
  readonly reason: string;
  readonly deliveries: number;
  /** Of the last advisory. RFC 3339, UTC. */
  readonly at: string;
  readonly retries: number;
  /** A retry runs until then at the latest; another one is refused. RFC 3339, UTC. */
  readonly retryingUntil?: string;
  /** When a retry has succeeded since the last advisory. RFC 3339, UTC. */
  readonly resolvedAt?: string;
}

/** Body of a message on `deadLetterRetrySubject`. `started` is written by compare-and-set, so one retry runs at a time. */
export type DeadLetterRetry =
  | { readonly state: 'started'; readonly stream: string; readonly sequence: number; readonly at: string; readonly until: string }
  | { readonly state: 'resolved'; readonly stream: string; readonly sequence: number; readonly at: string }
  | { readonly state: 'failed'; readonly stream: string; readonly sequence: number; readonly at: string; readonly reason: string };

/** A service retries its own dead letters only; its account may publish on exactly this subject. */
export const deadLetterRetrySubject = (service: ServiceName): string => `dead.${service}.retries`;

export const ADVISORIES_STREAM = 'ADVISORIES';
export const MAX_DELIVERIES_ADVISORY = '$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES';
export const TERMINATED_ADVISORY = '$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED';

/** What the stream ADVISORIES captures. It needs `allow_direct`; the gateway's account reads it, nobody else does. */
export const ADVISORY_SUBJECTS: readonly string[] = [
  `${MAX_DELIVERIES_ADVISORY}.>`,
  `${TERMINATED_ADVISORY}.>`,
  ...SERVICES.map(deadLetterRetrySubject),
];
