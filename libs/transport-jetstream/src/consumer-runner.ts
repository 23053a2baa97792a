import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { faultPoint } from '@countersign/fault-points';
import type { Delivery, LogMessage } from './delivery.js';
import { Lease } from './lease.js';
import type { TransportLogger } from './logger.js';
import type { LoopWatch } from './loop-watch.js';
import { outcomeOfReturn, outcomeOfThrow, type Outcome } from './outcome.js';
import type { Parse, Parsed } from './parse.js';
import { PullLoop } from './pull-loop.js';
import { RunningDelivery } from './running-delivery.js';
import { settle, type Settlement } from './settlement.js';

/** Runs the handler for what a message says; a message without a handler is done. */
export type Dispatch = (parsed: Parsed, delivery: Delivery) => Promise<unknown>;

/** @throws GateError: the message waits */
export type Skip = (subject: string) => boolean | Promise<boolean>;

export interface RunnerOptions {
  readonly connection: NatsConnection;
  readonly stream: string;
  readonly consumer: string;
  readonly nextSubject: string;
  /** As the consumer is configured. */
  readonly ackWaitMs: number;
  readonly maxDeliver: number;
  readonly forgetsTerminated: boolean;
  readonly concurrency: number;
  readonly parse: Parse;
  /** Whether this message is nothing to this service, told by its subject alone; it is then acknowledged unread. */
  readonly skip?: Skip;
  readonly dispatch: Dispatch;
  readonly watch: LoopWatch;
  readonly logger: TransportLogger;
}

/** The one runner: parse, handler, acknowledge. It acknowledges only after the handler has resolved, never in a `finally`. */
export class ConsumerRunner {
  private readonly loop: PullLoop;
  private readonly running = new Set<RunningDelivery>();
  private readonly held = new Map<RunningDelivery, () => void>();
  private readonly idle: (() => void)[] = [];
  private readonly extender: NodeJS.Timeout;
  private draining = false;
  private handled = 0;
  private failed = 0;

  constructor(readonly options: RunnerOptions) {
    const { connection, nextSubject, concurrency, logger } = options;
    this.loop = new PullLoop({ connection, nextSubject, capacity: concurrency, logger, onMessage: (msg) => this.received(msg) });
    this.extender = setInterval(() => this.extendLeases(), options.ackWaitMs / 6).unref();
  }

  get stats() {
    const held = this.held.size;
    return { running: this.running.size - held, held, handled: this.handled, failed: this.failed };
  }

  start(): void {
    this.loop.start();
  }

  /** After a reconnect: what was asked of the broker before is lost. */
  reconnected(): void {
    this.loop.restart();
  }

  /** Takes nothing new, lets what runs finish until `withinMs` is over, gives back the rest. */
  async drain(withinMs: number): Promise<void> {
    this.draining = true;
    for (const wake of this.held.values()) wake();
    await this.loop.stop();
    await this.finished(withinMs);
    for (const delivery of this.running) delivery.abandon();
    this.running.clear();
    clearInterval(this.extender);
  }

  /** One run outside of the consumer, for the retry of a dead letter; nothing is acknowledged. */
  async runOnce(message: LogMessage, delivery: Delivery): Promise<Outcome> {
    try {
      if (await this.options.skip?.(message.subject)) return { kind: 'done' };
      const parsed = this.options.parse(message);
      await faultPoint('runner.before-handler');
      return outcomeOfReturn(await this.options.dispatch(parsed, delivery));
    } catch (error) {
      return outcomeOfThrow(error);
    }
  }

  private received(msg: Msg): void {
    const delivery = new RunningDelivery(this.options.connection, msg, new Lease(this.options.watch.readingSince(), this.options.ackWaitMs));
    if (this.draining) {
      delivery.nak(0);
      this.loop.release();
    } else if (delivery.leaseLeftMs() < this.options.ackWaitMs / 2) {
      // this process stood still while the message lay in its socket; it may be another's by now and comes again if not
      this.options.logger.warn({ stream: delivery.stream, sequence: delivery.sequence }, 'a delivery was read too late and dropped');
      this.loop.release();
    } else {
      this.running.add(delivery);
      void this.run(delivery);
    }
  }

  private async run(delivery: RunningDelivery): Promise<void> {
    for (;;) {
      const outcome = await this.runOnce(delivery.message, delivery);
      const { maxDeliver, forgetsTerminated } = this.options;
      const settlement = settle(outcome, { deliveries: delivery.deliveries, repeats: delivery.repeats, maxDeliver, forgetsTerminated });
      this.tell(delivery, outcome, settlement);
      if (settlement.kind !== 'hold' || this.draining) {
        await this.end(delivery, settlement);
        return;
      }
      await this.hold(delivery, settlement.forMs);
      if (this.draining || delivery.leaseLeftMs() === 0) {
        await this.end(delivery, { kind: 'nak', delayMs: 0 });
        return;
      }
    }
  }

  private async end(delivery: RunningDelivery, settlement: Settlement): Promise<void> {
    if (settlement.kind === 'ack') await this.acknowledge(delivery);
    else if (settlement.kind === 'term') delivery.term(settlement.reason);
    else delivery.nak(settlement.kind === 'nak' ? settlement.delayMs : 0);
    this.running.delete(delivery);
    this.loop.release();
    if (this.running.size === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  private async acknowledge(delivery: RunningDelivery): Promise<void> {
    try {
      await faultPoint('runner.before-ack');
      delivery.ack();
      this.handled += 1;
    } catch (error) {
      delivery.forget(); // never acknowledged by this process: it comes again, and its handler finds that all is done
      this.options.logger.warn({ stream: delivery.stream, sequence: delivery.sequence, error }, 'an acknowledgement was not sent');
    }
  }

  /** Its slot is free for others while it waits, unless as many wait already: then the consumer comes to a stand, which is what an outage should do. */
  private async hold(delivery: RunningDelivery, forMs: number): Promise<void> {
    const freesItsSlot = this.held.size < this.options.concurrency;
    delivery.repeats += 1;
    if (freesItsSlot) this.loop.release();
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, forMs);
      this.held.set(delivery, () => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.held.delete(delivery);
    if (freesItsSlot) this.loop.occupy();
  }

  private extendLeases(): void {
    for (const delivery of this.running) delivery.extendWhenDue();
  }

  private finished(withinMs: number): Promise<void> {
    if (this.running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  private tell(delivery: RunningDelivery, outcome: Outcome, settlement: Settlement): void {
    if (outcome.kind === 'done' || outcome.kind === 'wait') return;
    const { stream, sequence, deliveries } = delivery;
    const fields = { stream, sequence, deliveries, consumer: this.options.consumer, then: settlement, error: outcome.error };
    if (outcome.kind === 'unavailable') return this.options.logger.info(fields, 'a message waits for a part of the gate');
    if (outcome.kind === 'unreadable') return this.options.logger.error({ ...fields, alarm: true }, 'an event is newer than this build; nothing is decided on it');
    this.failed += 1;
    if (settlement.kind === 'term') return this.options.logger.error({ ...fields, alarm: true }, 'a message became a dead letter');
    return this.options.logger.warn(fields, 'a handler failed; its message will be delivered again');
  }
}
