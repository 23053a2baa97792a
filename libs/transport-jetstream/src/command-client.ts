import { errors, type NatsConnection } from '@nats-io/transport-node';
import { LIMITS, type Command, type CommandMap, type CommandName, type CommandReply } from '@countersign/contracts';
import { request } from '@countersign/event-log-jetstream';
import { GateError } from '@countersign/kernel';

export interface CallOptions {
  /** Default `LIMITS.commandTimeoutMs`. */
  readonly timeoutMs?: number;
}

/** Sends commands; only the gateway's account may. */
export class CommandClient {
  constructor(private readonly connection: NatsConnection) {}

  /**
   * @param name `<service>.<verb>`
   * @throws GateError whatever the service refused with; UNAVAILABLE: nobody serves it, nothing has happened;
   *   TIMEOUT: it may have happened; BODY_TOO_LARGE
   */
  async call<N extends CommandName>(name: N, payload: Command<CommandMap[N][0]>, options: CallOptions = {}): Promise<CommandMap[N][1]> {
    const body = JSON.stringify(payload);
    const most = this.connection.info?.max_payload ?? 1024 * 1024;
    if (Buffer.byteLength(body) > most) throw new GateError('BODY_TOO_LARGE', `A command has at most ${most} bytes; its bodies go as blobs`);
    const reply = await this.request(name, body, options.timeoutMs ?? LIMITS.commandTimeoutMs);
    if (!reply.ok) throw GateError.fromWire(reply.error);
    return reply.data as CommandMap[N][1];
  }

  private async request(name: string, body: string, timeoutMs: number): Promise<CommandReply<unknown>> {
    try {
      const msg = await request(this.connection, `cmd.${name}`, body, { timeoutMs });
      return msg.json<CommandReply<unknown>>();
    } catch (error) {
      throw asGateError(error, name, timeoutMs);
    }
  }
}

function asGateError(error: unknown, name: string, timeoutMs: number): GateError {
  const cause = error instanceof Error ? error.cause : undefined;
  const is = (kind: new (...args: never[]) => Error): boolean => error instanceof kind || cause instanceof kind;
  if (is(errors.TimeoutError)) return new GateError('TIMEOUT', `${name} was not answered within ${timeoutMs} ms; ask again to see what happened`);
  if (is(errors.NoRespondersError)) return new GateError('UNAVAILABLE', `Nobody serves ${name} at the moment; nothing has happened`);
  if (error instanceof SyntaxError) return new GateError('INTERNAL', `${name} answered something that is not a reply`);
  if (is(errors.PermissionViolationError)) return new GateError('UNAVAILABLE', `The broker does not let this service send ${name}`);
  return new GateError('TIMEOUT', `The connection to the broker was lost under ${name}; ask again to see what happened`);
}
