import { jetstream, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { deadLetterRetrySubject, type Accepted, type DeadLetterRetry, type RetryDeadLetter, type ServiceName } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { infoOf } from './consumer-binding.js';
import type { ConsumerRunner } from './consumer-runner.js';
import type { Delivery, LogMessage } from './delivery.js';
import { Lease, monotonicMs } from './lease.js';
import type { TransportLogger } from './logger.js';
import type { Outcome } from './outcome.js';
import { fits } from './subject-fits.js';
import { tellable } from './tellable.js';

/**
 * Longest run of one retry; its handler's signal aborts then, and only then may another retry begin. Well below the time
 * after which the broker takes no answer to a command any more (two minutes).
 */
export const RETRY_LEASE_MS = 90_000;

export interface RetrierOptions {
  readonly service: ServiceName;
  readonly connection: NatsConnection;
  readonly manager: JetStreamManager;
  readonly runners: readonly ConsumerRunner[];
  readonly logger: TransportLogger;
}

/**
 * Serves `cmd.<service>.dead-letter`: the same message through the same handler in the same runner. The start is
 * recorded by compare-and-set on what the caller saw, so that one retry of a service runs at a time, in whichever process.
 */
export class DeadLetterRetrier {
  constructor(private readonly options: RetrierOptions) {}

  /**
   * @throws GateError DEAD_LETTER_UNKNOWN; BUSY: another retry has begun since the caller looked; UNAVAILABLE: the
   *   handler says not yet; whatever the handler refused with
   */
  async retry({ stream, sequence, after }: RetryDeadLetter): Promise<Accepted> {
    if (!Number.isSafeInteger(sequence) || sequence < 1 || !Number.isSafeInteger(after) || after < 0) {
      throw new GateError('INVALID_REQUEST', 'A retry names stream, sequence and the last retry that its caller saw');
    }
    const runner = this.options.runners.find((one) => one.options.stream === stream);
    if (!runner) throw new GateError('DEAD_LETTER_UNKNOWN', `${this.options.service} does not consume ${stream}`);
    const message = await this.messageAt(runner, sequence);
    const began = monotonicMs();
    const at = Date.now();
    await this.record({ state: 'started', stream, sequence, at: new Date(at).toISOString(), until: new Date(at + RETRY_LEASE_MS).toISOString() }, after);
    const outcome = await runUnderLease(runner, message, new Lease(began, RETRY_LEASE_MS));
    return this.conclude(outcome, stream, sequence);
  }

  private async conclude(outcome: Outcome, stream: string, sequence: number): Promise<Accepted> {
    const at = new Date().toISOString();
    if (outcome.kind === 'done') return { sequence: await this.record({ state: 'resolved', stream, sequence, at }) };
    const error = errorOf(outcome);
    await this.record({ state: 'failed', stream, sequence, at, reason: `retry failed: ${tellable(error)}` });
    throw error;
  }

  /** From the stream's leader: a direct get may lag, and a dead letter must not be denied for that. */
  private async messageAt(runner: ConsumerRunner, sequence: number): Promise<LogMessage> {
    const { stream, consumer } = runner.options;
    const found = await this.options.manager.streams.getMessage(stream, { seq: sequence }).catch((error: unknown) => {
      throw new GateError('UNAVAILABLE', `${stream} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
    });
    if (!found) throw new GateError('DEAD_LETTER_UNKNOWN', `${stream} holds no message ${sequence}`);
    const { config } = await infoOf(this.options.manager, stream, consumer);
    const filters = config.filter_subjects ?? (config.filter_subject ? [config.filter_subject] : []);
    if (filters.length > 0 && !filters.some((filter) => fits(found.subject, filter))) {
      throw new GateError('DEAD_LETTER_UNKNOWN', `${stream}:${sequence} is not for ${this.options.service}`);
    }
    return { stream, sequence, subject: found.subject, headers: found.header, data: found.data };
  }

  private async record(retry: DeadLetterRetry, after?: number): Promise<number> {
    const expect = after === undefined ? {} : { expect: { lastSubjectSequence: after } };
    try {
      const ack = await jetstream(this.options.connection).publish(deadLetterRetrySubject(this.options.service), JSON.stringify(retry), expect);
      return ack.seq;
    } catch (error) {
      this.options.logger.warn({ error, retry }, 'a retry of a dead letter could not be recorded');
      if (after !== undefined && isConflict(error)) throw new GateError('BUSY', 'Another retry has begun since; list the dead letters again');
      throw new GateError('UNAVAILABLE', 'The retry could not be recorded; the handler can be run again without harm');
    }
  }
}

function errorOf(outcome: Exclude<Outcome, { kind: 'done' }>): Error {
  if (outcome.kind === 'wait') return new GateError('UNAVAILABLE', `Not yet: its handler asks to be called again in ${outcome.ms} ms`);
  if (outcome.kind === 'unparsable') return new GateError('EVENT_UNREADABLE', tellable(outcome.error));
  return outcome.error;
}

const isConflict = (error: unknown): boolean => [10071, 10164, 10158].includes(Number((error as { code?: unknown }).code));

async function runUnderLease(runner: ConsumerRunner, message: LogMessage, lease: Lease): Promise<Outcome> {
  const { stream, sequence } = message;
  const delivery: Delivery = {
    stream, sequence, message,
    deliveries: Math.max(runner.options.maxDeliver, 0) + 1,
    signal: lease.signal,
    leaseLeftMs: () => lease.leftMs(),
    working: () => {}, // a retry has one lease and no longer
  };
  const outcome = await runner.runOnce(message, delivery);
  lease.settle();
  return outcome;
}
