import { randomUUID } from 'node:crypto';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { COMMON_VERBS, commandSubject, type CommandReply, type ServiceName } from '@countersign/contracts';
import { faultPoint } from '@countersign/fault-points';
import { GateError, isGateError } from '@countersign/kernel';
import type { TransportLogger } from './logger.js';

/** @throws GateError; whatever else is thrown becomes INTERNAL */
export type ServeVerb = (verb: string, payload: object) => Promise<unknown>;

export interface CommandServerOptions {
  readonly connection: NatsConnection;
  readonly service: ServiceName;
  readonly serve: ServeVerb;
  readonly logger: TransportLogger;
  /** Running at a time; more are refused with BUSY at once instead of timing out later. */
  readonly mostAtATime: number;
}

/** Answers `cmd.<service>.<verb>`; several processes of a service share the work through a queue group. */
export class CommandServer {
  private subscription: Subscription | undefined;
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly options: CommandServerOptions) {}

  start(): void {
    const { connection, service } = this.options;
    this.subscription = connection.subscribe(commandSubject(service, '*'), {
      queue: service,
      callback: (error, msg) => (error ? this.refused(error) : this.received(msg)),
    });
  }

  /** Takes nothing new; what runs is answered, unless it takes longer. */
  async drain(withinMs: number): Promise<void> {
    await this.subscription?.drain().catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => { timer = setTimeout(resolve, withinMs); });
    await Promise.race([Promise.allSettled([...this.running]), over]);
    clearTimeout(timer);
  }

  private received(msg: Msg): void {
    const run = this.answer(msg).finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private async answer(msg: Msg): Promise<void> {
    const verb = msg.subject.slice(msg.subject.lastIndexOf('.') + 1);
    const reply = await this.replyTo(verb, msg);
    try {
      await faultPoint('command.before-reply');
      msg.respond(JSON.stringify(reply));
    } catch (error) {
      this.options.logger.error({ verb, error }, 'a command’s reply was not sent');
      if (!this.options.connection.isClosed()) msg.respond(JSON.stringify({ ok: false, error: this.internal(verb, error) }));
    }
  }

  private async replyTo(verb: string, msg: Msg): Promise<CommandReply<unknown>> {
    try {
      if (this.running.size > this.options.mostAtATime && !isCommon(verb)) throw new GateError('BUSY', `${this.options.service} works on as many commands as it can; try again`);
      return { ok: true, data: (await this.options.serve(verb, payloadOf(msg))) ?? null };
    } catch (error) {
      return { ok: false, error: isGateError(error) ? error.toWire() : this.internal(verb, error) };
    }
  }

  /** The caller gets an id and nothing of the error; the log has both. */
  private internal(verb: string, error: unknown) {
    const id = randomUUID();
    this.options.logger.error({ id, verb, error }, 'a command failed unexpectedly');
    return new GateError('INTERNAL', `A fault of ours in ${this.options.service}; it is in the service’s log under ${id}`, { id }).toWire();
  }

  private refused(error: Error): void {
    this.options.logger.error({ error, service: this.options.service, alarm: true }, 'the broker does not let this service serve its commands');
  }
}

const isCommon = (verb: string): boolean => (COMMON_VERBS as readonly string[]).includes(verb);

function payloadOf(msg: Msg): object {
  let payload: unknown;
  try {
    payload = msg.json();
  } catch {
    throw new GateError('MALFORMED_JSON', 'The command’s body is not JSON');
  }
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) throw new GateError('INVALID_REQUEST', 'The command’s body is not an object');
  return payload;
}
