import { NoRespondersError, PermissionViolationError } from '@nats-io/transport-node';
import { apiSubject, pause, unavailable, type BrokerAccess } from './broker-connection.js';
import { request } from './requests.js';

/** A message as the stream's leader has it. */
export interface LeaderMessage {
  readonly subject: string;
  readonly seq: number;
  /** Header block as text, with its line ends. */
  readonly headerText: string;
}

export interface Timeouts {
  /** For one answer. */
  readonly answerMs: number;
  /** In all, over several tries. */
  readonly withinMs: number;
}

interface Reply {
  readonly message?: { readonly subject: string; readonly seq: number; readonly hdrs?: string };
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description?: string };
}

const NO_MESSAGE_FOUND = 10037;
const BETWEEN_TRIES_MS = 50;

/**
 * The last message whose subject is in the filter, by the stream's leader: never behind an acknowledgement.
 * Undefined when there is none.
 * @throws GateError UNAVAILABLE when no leader answers within `withinMs`
 */
export async function leaderLast(access: BrokerAccess, stream: string, filter: string, timeouts: Timeouts): Promise<LeaderMessage | undefined> {
  const deadline = performance.now() + timeouts.withinMs;
  for (;;) {
    const reply = await ask(access, stream, filter, timeouts.answerMs);
    if ('message' in reply && reply.message) {
      const { subject, seq, hdrs } = reply.message;
      return { subject, seq, headerText: Buffer.from(hdrs ?? '', 'base64').toString('utf8') };
    }
    if (reply.error?.err_code === NO_MESSAGE_FOUND) return undefined;
    if (performance.now() >= deadline || access.connection.isClosed()) throw unavailable(`The leader of ${stream} does not answer: ${reply.error?.description ?? ''}`);
    await pause(BETWEEN_TRIES_MS);
  }
}

async function ask(access: BrokerAccess, stream: string, filter: string, timeoutMs: number): Promise<Reply> {
  try {
    const message = await request(access.connection, apiSubject(access, `STREAM.MSG.GET.${stream}`), JSON.stringify({ last_by_subj: filter }), { timeoutMs });
    return message.json<Reply>();
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    if (cause instanceof PermissionViolationError) throw cause;
    const why = cause instanceof NoRespondersError ? 'nobody listens' : cause instanceof Error ? cause.message : String(cause);
    return { error: { code: 503, description: why } };
  }
}
