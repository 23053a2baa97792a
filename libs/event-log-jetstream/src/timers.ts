import type { ServiceName } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { Timers } from '@countersign/event-log';
import { pause, unavailable, type BrokerAccess } from './broker-connection.js';
import { headersOf } from './header-block.js';
import { publish } from './publish.js';

export interface JetStreamTimersOptions extends BrokerAccess {
  /** Whose timers; its stream is `TIMER_<service>`. */
  readonly service: ServiceName;
  /** Wait for one answer. Default 1,500 ms. */
  readonly answerMs?: number;
  /** Wait in all until UNAVAILABLE. Default 8,000 ms. */
  readonly withinMs?: number;
}

const NAME = /^[A-Za-z0-9_-]{1,128}(\.[A-Za-z0-9_-]{1,128}){0,7}$/;
const BETWEEN_TRIES_MS = 20;

export const timerSubject = (service: ServiceName, what: 'set' | 'fire', name: string): string => `timer.${service}.${what}.${name}`;

/** The timer's name, out of the subject of a message that fired; undefined when it is none of this service's. */
export function firedTimer(service: ServiceName, subject: string): string | undefined {
  const prefix = timerSubject(service, 'fire', '');
  return subject.startsWith(prefix) && subject.length > prefix.length ? subject.slice(prefix.length) : undefined;
}

/**
 * Timers as scheduled messages: the server puts a message on `timer.<service>.fire.<name>` when the time has come, up to
 * half a second late, and at once when it was down then. Setting a timer again moves it, so a try without answer is
 * simply repeated.
 */
export class JetStreamTimers implements Timers {
  constructor(private readonly options: JetStreamTimersOptions) {}

  /** Durable when this returns. @throws GateError INVALID_REQUEST, UNAVAILABLE */
  async set(name: string, at: Date): Promise<void> {
    if (!NAME.test(name) || Number.isNaN(at.getTime())) throw new GateError('INVALID_REQUEST', `${JSON.stringify(name)} cannot name a timer, or its time is none`);
    const { service, answerMs = 1_500, withinMs = 8_000, connection } = this.options;
    const headers = headersOf({ 'Nats-Schedule': `@at ${at.toISOString()}`, 'Nats-Schedule-Target': timerSubject(service, 'fire', name) });
    const deadline = performance.now() + withinMs;
    for (;;) {
      const published = await publish(this.options, timerSubject(service, 'set', name), Buffer.from(JSON.stringify({ name })), headers, answerMs);
      if (published.outcome === 'stored') return;
      const why = published.outcome === 'conflict' ? 'it was told of a conflict' : published.why;
      if (published.outcome === 'refused' && !published.passing) throw unavailable(`The timer cannot be set: ${why}`);
      if (performance.now() >= deadline || connection.isClosed()) throw unavailable(`The timer cannot be set: ${why}`);
      await pause(BETWEEN_TRIES_MS);
    }
  }
}
