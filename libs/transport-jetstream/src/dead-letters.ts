import type { DirectStreamAPI, JetStreamManager, StoredMsg } from '@nats-io/jetstream';
import {
  ADVISORIES_STREAM, deadLetterRetrySubject, type Accepted, type CommandContext, type CommandName, type DeadLetter, type ServiceName,
} from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { CommandClient } from './command-client.js';
import { RETRY_LEASE_MS } from './dead-letter-retrier.js';
import { foldDeadLetters, type AdvisoryMessage, type DeadLetters } from './dead-letter-fold.js';

const BATCH = 512;
/** A retry that is answered later than this goes on; the list shows how it ended. */
const RETRY_ANSWER_MS = RETRY_LEASE_MS + 5_000;

/** Lists dead letters and has them retried. For the gateway: its account alone reads ADVISORIES and sends commands. */
export class DeadLetterOffice {
  /** @param manager of `jetstreamManager(connection, { apiPrefix: 'LOGAPI', checkAPI: false })` */
  constructor(private readonly manager: JetStreamManager, private readonly commands: CommandClient) {}

  /** Oldest first; resolved ones are marked, not left out. Read whole: there should never be many. */
  async list(): Promise<readonly DeadLetter[]> {
    return (await this.read()).letters;
  }

  /** One at a time of a service, whichever its letters are. @throws GateError DEAD_LETTER_UNKNOWN, ALREADY_RESOLVED, BUSY (one runs), and whatever the handler refused with */
  async retry(service: ServiceName, stream: string, sequence: number, context: CommandContext): Promise<Accepted> {
    const { letters, lastRetry } = await this.read();
    const letter = letters.find((one) => one.service === service && one.stream === stream && one.sequence === sequence);
    if (!letter) throw new GateError('DEAD_LETTER_UNKNOWN', `${service} has no dead letter ${stream}:${sequence}`);
    if (letter.resolvedAt) throw new GateError('ALREADY_RESOLVED', `A retry of ${stream}:${sequence} succeeded at ${letter.resolvedAt}`);
    const running = letters.find((one) => one.service === service && one.retryingUntil !== undefined && Date.parse(one.retryingUntil) > Date.now());
    if (running) throw new GateError('BUSY', `${service} retries ${running.stream}:${running.sequence}, until ${running.retryingUntil!} at the latest`);
    const command: CommandName = `${service}.dead-letter`;
    return this.commands.call(command, { stream, sequence, after: lastRetry.get(deadLetterRetrySubject(service)) ?? 0, context }, { timeoutMs: RETRY_ANSWER_MS });
  }

  private async read(): Promise<DeadLetters> {
    const messages: AdvisoryMessage[] = [];
    for (let next = 1; ;) {
      const batch = await readBatch(this.manager.direct, next);
      messages.push(...batch);
      if (batch.length < BATCH) return foldDeadLetters(messages);
      next = batch.at(-1)!.sequence + 1;
    }
  }
}

async function readBatch(direct: DirectStreamAPI, from: number): Promise<AdvisoryMessage[]> {
  const batch: AdvisoryMessage[] = [];
  try {
    for await (const message of await direct.getBatch(ADVISORIES_STREAM, { seq: from, batch: BATCH })) batch.push(messageOf(message));
  } catch (error) {
    if (!isNothingThere(error)) throw new GateError('UNAVAILABLE', `The dead letters cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  return batch;
}

const messageOf = (message: StoredMsg): AdvisoryMessage => ({ subject: message.subject, sequence: message.seq, body: message.string() });
const isNothingThere = (error: unknown): boolean => (error as { code?: unknown }).code === 404 || /no results|message not found/i.test(String(error));
