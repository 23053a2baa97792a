import { NoRespondersError, PermissionViolationError, TimeoutError, type MsgHdrs } from '@nats-io/transport-node';
import type { BrokerAccess } from './broker-connection.js';
import { request } from './requests.js';

/** What became of one publish to a stream. */
export type Published =
  | { readonly outcome: 'stored'; readonly stream: string; readonly sequence: number; readonly duplicate: boolean }
  /** The stream's last sequence for the expectation's subject is another one. */
  | { readonly outcome: 'conflict' }
  /** The stream said no for another reason, or nobody was there: not stored. `passing`: may go well later. */
  | { readonly outcome: 'refused'; readonly code: number; readonly passing: boolean; readonly why: string }
  /** No answer. It may be stored, or be stored yet. */
  | { readonly outcome: 'unknown'; readonly why: string };

/**
 * Wrong last sequence (10071), the same while another message of the subject is on its way through the replicas (10164),
 * and a message id on its way (10158, which our messages without ids do not meet).
 */
const CONFLICTS: readonly number[] = [10071, 10158, 10164];

interface PubAck {
  readonly stream?: string;
  readonly seq?: number;
  readonly duplicate?: boolean;
  readonly error?: { readonly code: number; readonly err_code?: number; readonly description?: string };
}

/**
 * One publish to a stream, and its acknowledgement.
 * @throws the client's PermissionViolationError when the account or user may not publish there
 */
export async function publish(access: BrokerAccess, subject: string, body: Uint8Array, headers: MsgHdrs, timeoutMs: number): Promise<Published> {
  let ack: PubAck;
  try {
    ack = (await request(access.connection, subject, body, { timeoutMs, headers })).json<PubAck>();
  } catch (error) {
    return withoutAnswer(error);
  }
  if (ack.error) {
    const { err_code: code = 0, code: status, description } = ack.error;
    if (CONFLICTS.includes(code)) return { outcome: 'conflict' };
    return { outcome: 'refused', code, passing: status === 503, why: description ?? `error ${code}` };
  }
  if (!ack.stream || !ack.seq) return { outcome: 'unknown', why: 'what answered is no stream' };
  return { outcome: 'stored', stream: ack.stream, sequence: ack.seq, duplicate: ack.duplicate === true };
}

function withoutAnswer(error: unknown): Published {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (cause instanceof PermissionViolationError) throw cause;
  if (cause instanceof NoRespondersError) return { outcome: 'refused', code: 0, passing: true, why: 'no stream listens on this subject now' };
  if (error instanceof TimeoutError) return { outcome: 'unknown', why: 'no acknowledgement in time' };
  return { outcome: 'unknown', why: error instanceof Error ? error.message : String(error) };
}
