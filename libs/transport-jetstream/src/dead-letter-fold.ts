import {
  MAX_DELIVERIES_ADVISORY, SERVICES, TERMINATED_ADVISORY, retriesDeadLetters, type DeadLetter, type DeadLetterRetry, type ServiceName,
} from '@countersign/contracts';

/** A message of ADVISORIES. */
export interface AdvisoryMessage {
  readonly subject: string;
  readonly sequence: number;
  readonly body: string;
}

export interface DeadLetters {
  /** In the order of their first advisory. */
  readonly letters: readonly DeadLetter[];
  /** Sequence of the last message on each service's retry subject. */
  readonly lastRetry: ReadonlyMap<string, number>;
}

interface Advisory {
  readonly stream: string;
  readonly consumer: string;
  readonly stream_seq: number;
  readonly deliveries: number;
  readonly timestamp: string;
  readonly reason?: string;
}

/**
 * Folds the stream in its order. Total: a message that is neither an advisory nor a retry of ours is left out, and so are
 * deliveries to a service that reads the log again by itself.
 */
export function foldDeadLetters(messages: readonly AdvisoryMessage[]): DeadLetters {
  const letters = new Map<string, DeadLetter>();
  const lastRetry = new Map<string, number>();
  for (const message of messages) {
    const body = parse(message.body);
    const retriedBy = /^dead\.([a-z-]+)\.retries$/.exec(message.subject)?.[1];
    if (retriedBy !== undefined) {
      lastRetry.set(message.subject, message.sequence);
      retried(letters, retriedBy, body as DeadLetterRetry | undefined);
    } else if (isAdvisory(body)) {
      died(letters, message.subject, body);
    }
  }
  return { letters: [...letters.values()], lastRetry };
}

function died(letters: Map<string, DeadLetter>, subject: string, advisory: Advisory): void {
  const service = SERVICES.find((one) => one === advisory.consumer);
  const terminated = subject.startsWith(TERMINATED_ADVISORY);
  if (!service || !retriesDeadLetters(service) || !(terminated || subject.startsWith(MAX_DELIVERIES_ADVISORY))) return;
  const key = keyOf(service, advisory.stream, advisory.stream_seq);
  const reason = terminated ? advisory.reason || 'terminated without a reason' : `deliveries ran out: ${advisory.deliveries}, none of them settled`;
  letters.set(key, {
    service,
    stream: advisory.stream as DeadLetter['stream'],
    sequence: advisory.stream_seq,
    kind: terminated ? kindOf(reason) : 'deliveries',
    reason,
    deliveries: advisory.deliveries,
    at: advisory.timestamp,
    retries: letters.get(key)?.retries ?? 0,
  });
}

/** The settlement that terminated it begins its reason with its kind. */
const kindOf = (reason: string): DeadLetter['kind'] => (reason.startsWith('unparsable:') ? 'unparsable' : 'failed');

function retried(letters: Map<string, DeadLetter>, service: string, retry: DeadLetterRetry | undefined): void {
  if (retry === undefined) return;
  const key = keyOf(service as ServiceName, retry.stream, retry.sequence);
  const letter = letters.get(key);
  if (!letter) return;
  const { retryingUntil: _, ...rest } = letter;
  if (retry.state === 'started') letters.set(key, { ...rest, retries: letter.retries + 1, retryingUntil: retry.until });
  else if (retry.state === 'resolved') letters.set(key, { ...rest, resolvedAt: retry.at });
  else letters.set(key, { ...rest, reason: retry.reason });
}

const keyOf = (service: ServiceName, stream: string, sequence: number): string => `${service} ${stream} ${sequence}`;

function isAdvisory(body: unknown): body is Advisory {
  const advisory = body as Partial<Advisory> | undefined;
  return typeof advisory?.stream === 'string' && typeof advisory.consumer === 'string' && typeof advisory.stream_seq === 'number'
    && typeof advisory.deliveries === 'number' && typeof advisory.timestamp === 'string';
}

function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
