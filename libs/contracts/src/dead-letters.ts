import { SERVICES, type LogStream, type ServiceName } from './flow.js';

/**
 * A delivery that ended without its handler's consent. Nobody writes it as such: the server's own advisories say it
 * (deliveries ran out, or the runner terminated what it could not parse), so a handler that dies cannot lose it.
 * The stream ADVISORIES keeps them, and what a successful retry adds.
 */
export interface DeadLetter {
  readonly service: ServiceName;
  /** Of the message: what a person inspects, and what a retry names. */
  readonly stream: LogStream | 'TIMER_planner';
  readonly sequence: number;
  /** `deliveries`: it failed, or killed its process, until `maxDeliver`. `terminated`: it could not be parsed. */
  readonly kind: 'deliveries' | 'terminated';
  readonly reason: string;
  readonly deliveries: number;
  /** Of the last advisory. RFC 3339, UTC. */
  readonly at: string;
  /** When a retry has succeeded since. RFC 3339, UTC. */
  readonly resolvedAt?: string;
}

/** Body of a message on `deadLetterResolvedSubject`: the retry of this delivery has succeeded. */
export interface DeadLetterResolved {
  readonly stream: string;
  readonly sequence: number;
  readonly at: string;
}

/** A service resolves its own dead letters only; its account may publish on exactly this subject. */
export const deadLetterResolvedSubject = (service: ServiceName): string => `dead.${service}.resolved`;

export const MAX_DELIVERIES_ADVISORY = '$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES';
export const TERMINATED_ADVISORY = '$JS.EVENT.ADVISORY.CONSUMER.MSG_TERMINATED';

/** What the stream ADVISORIES captures. */
export const ADVISORY_SUBJECTS: readonly string[] = [
  `${MAX_DELIVERIES_ADVISORY}.>`,
  `${TERMINATED_ADVISORY}.>`,
  ...SERVICES.map(deadLetterResolvedSubject),
];
