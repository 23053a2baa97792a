import { jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { FLOW, LIMITS, retriesDeadLetters, type RetryDeadLetter } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import { CommandServer } from './command-server.js';
import { bindConsumer } from './consumer-binding.js';
import { ConsumerRunner, type Dispatch } from './consumer-runner.js';
import { DeadLetterRetrier } from './dead-letter-retrier.js';
import { HandlerTable } from './handler-table.js';
import { healthOf } from './health.js';
import { invoke } from './invoke.js';
import { LoopWatch } from './loop-watch.js';
import { eventParser, outboxParser, timerParser, type Parse } from './parse.js';
import { commandPattern, keyOf } from './patterns.js';
import type { StrategyOptions } from './strategy-options.js';

const TIMER_STREAM = /^TIMER_/;
/** More are refused with BUSY at once. */
const COMMANDS_AT_A_TIME = 2_000;

/**
 * A service reads as ordinary Nest controllers: events and timers from its durable pull consumers, commands by core
 * NATS request. Bind it with `strategy`, and `RethrowFilter` as a global filter. It binds to what the set-up made and
 * creates nothing. `close()` drains; Nest calls it twice.
 */
export class JetStreamStrategy extends Server implements CustomTransportStrategy {
  /** Nest hands over what an event handler throws, instead of logging it. */
  override readonly propagatesEventHandlerErrors = true;
  private readonly watch = new LoopWatch();
  private readonly startedAt = Date.now();
  private runners: readonly ConsumerRunner[] = [];
  private commands: CommandServer | undefined;
  private handlers: HandlerTable | undefined;
  private statuses: { stop(error?: Error): void } | undefined;
  private closing: Promise<void> | undefined;

  constructor(private readonly options: StrategyOptions) {
    super();
  }

  /**
   * @throws Error on a second handler for one pattern: Nest would run two event handlers under one acknowledgement, so
   *   that one's failure is the other's second run, and would silently drop the first of two commands
   */
  override addHandler(pattern: unknown, handler: MessageHandler, isEventHandler = false, extras: Record<string, unknown> = {}): void {
    if (this.getHandlerByPattern(this.normalizePattern(pattern as never)) !== null) {
      throw new Error(`Two handlers are registered for ${keyOf(pattern) ?? String(pattern)}; one service has one handler a pattern`);
    }
    super.addHandler(pattern, handler, isEventHandler, extras);
  }

  /** Counters since the start, by stream. */
  get stats(): Readonly<Record<string, ConsumerRunner['stats']>> {
    return Object.fromEntries(this.runners.map((runner) => [runner.options.stream, runner.stats]));
  }

  listen(done: (error?: unknown) => void): void {
    this.start().then(() => done(), done);
  }

  /** Stops taking, lets what runs finish within the bound, gives back the rest. Idempotent. */
  close(): Promise<void> {
    this.closing ??= this.drain();
    return this.closing;
  }

  // Nest's transports emit connection events; this one's connection belongs to the host
  on(): void {}
  unwrap<T>(): T {
    return this.options.connection as T;
  }

  private async start(): Promise<void> {
    const { connection, service, logger } = this.options;
    this.handlers = HandlerTable.of(this.messageHandlers);
    const manager = await jetstreamManager(connection, { apiPrefix: this.options.apiPrefix ?? 'LOGAPI', checkAPI: false });
    this.runners = await this.bindRunners(manager, this.handlers);
    this.commands = new CommandServer({
      connection, service, logger,
      mostAtATime: COMMANDS_AT_A_TIME,
      serve: this.serving(manager, this.handlers),
    });
    this.commands.start();
    for (const runner of this.runners) runner.start();
    await connection.flush();
    void this.followConnection();
  }

  private bindRunners(manager: JetStreamManager, handlers: HandlerTable): Promise<ConsumerRunner[]> {
    const { connection, service, logger, skip, apiPrefix = 'LOGAPI', concurrency = 256 } = this.options;
    const streams = this.options.consumes ?? FLOW[service].consumes.map((consumer) => consumer.stream);
    return Promise.all(streams.map(async (stream) => new ConsumerRunner({
      ...(await bindConsumer(manager, stream, service)),
      connection, logger, concurrency,
      ...(skip ? { skip } : {}),
      nextSubject: `${apiPrefix}.CONSUMER.MSG.NEXT.${stream}.${service}`,
      parse: this.parserOf(stream),
      dispatch: dispatching(handlers),
      watch: this.watch,
    })));
  }

  private parserOf(stream: string): Parse {
    if (stream === 'OUTBOX') return outboxParser;
    return TIMER_STREAM.test(stream) ? timerParser(`timer.${this.options.service}.fire.`) : eventParser(this.options.decode);
  }

  private serving(manager: JetStreamManager, handlers: HandlerTable): (verb: string, payload: object) => Promise<unknown> {
    const { service, connection, logger, version, instance } = this.options;
    const retrier = new DeadLetterRetrier({ service, connection, manager, logger, runners: this.runners });
    return async (verb, payload) => {
      const handler = handlers.get(keyOf(commandPattern(verb)));
      if (handler) return invoke(handler, payload, undefined);
      if (verb === 'dead-letter' && retriesDeadLetters(service)) return retrier.retry(payload as RetryDeadLetter);
      if (verb === 'health') return healthOf({ service, version, instance, manager, runners: this.runners, startedAt: this.startedAt, draining: this.closing !== undefined });
      throw new GateError('INVALID_REQUEST', `${service} does not serve the command ‘${verb}’`);
    };
  }

  private async followConnection(): Promise<void> {
    const { connection, logger, service } = this.options;
    const statuses = connection.status() as AsyncIterable<{ type: string; error?: Error }> & { stop(error?: Error): void };
    this.statuses = statuses;
    for await (const status of statuses) {
      if (status.type === 'reconnect') for (const runner of this.runners) runner.reconnected();
      if (status.type === 'error') logger.error({ service, error: status.error }, 'the broker refused something');
      if (status.type === 'disconnect' || status.type === 'reconnect') logger.warn({ service, status: status.type }, 'the connection to the broker changed');
    }
  }

  private async drain(): Promise<void> {
    const { drainMs = LIMITS.shutdownDrainMs, connection } = this.options;
    await Promise.all([this.commands?.drain(drainMs), ...this.runners.map((runner) => runner.drain(drainMs))]);
    this.statuses?.stop();
    this.watch.stop();
    if (!connection.isClosed()) await connection.flush().catch(() => {});
  }
}

const dispatching = (handlers: HandlerTable): Dispatch => async (parsed, delivery) => {
  const handler: MessageHandler | undefined = handlers.get(parsed.key);
  return handler === undefined ? undefined : invoke(handler, parsed.payload, delivery);
};
