import { EVENT_VERSIONS, HEADERS, type EventType, type StoredEvent } from '@countersign/contracts';
import type { LogMessage, TimerFired } from './delivery.js';
import { keyOf, outboxPattern, timerPattern } from './patterns.js';

/** A message that no build will ever read. */
export class Unparsable extends Error {
  override readonly name = 'Unparsable';
}

/** @throws GateError EVENT_UNREADABLE */
export type Decode = (message: LogMessage) => StoredEvent;

/** What goes to which handler. */
export interface Parsed {
  /** `keyOf` the handler's pattern. */
  readonly key: string;
  readonly payload: StoredEvent | TimerFired | LogMessage;
}

const TIMER = keyOf(timerPattern);
const OUTBOX = keyOf(outboxPattern);

export type Parse = (message: LogMessage) => Parsed;

/** Its parser throws Unparsable, or GateError EVENT_UNREADABLE for an event of a newer build. */
export function eventParser(decode: Decode): Parse {
  return (message) => {
    try {
      const event = decode(message);
      return { key: `event:${event.type}`, payload: event };
    } catch (error) {
      throw isOfNewerBuild(message) ? error : new Unparsable(error instanceof Error ? error.message : String(error));
    }
  };
}

/**
 * A whole event that only a newer build knows: it waits for that build. Everything else that cannot be decoded would
 * wait for ever.
 */
function isOfNewerBuild({ headers }: LogMessage): boolean {
  const type = headers?.last(HEADERS.type) ?? '';
  const version = Number(headers?.last(HEADERS.version));
  if (headers?.last(HEADERS.specversion) !== '1.0' || type === '' || !Number.isSafeInteger(version) || version < 1) return false;
  return !Object.hasOwn(EVENT_VERSIONS, type) || version > EVENT_VERSIONS[type as EventType];
}

/** @param prefix of the subjects on which this service's timers fire, with its final dot */
export function timerParser(prefix: string): Parse {
  return (message) => {
    const name = message.subject.startsWith(prefix) ? message.subject.slice(prefix.length) : '';
    if (name === '') throw new Unparsable(`‘${message.subject}’ is not the subject of a timer of this service`);
    return { key: TIMER, payload: { name } };
  };
}

/** What is to be delivered is its writer's own: nothing is looked at here. */
export const outboxParser: Parse = (message) => ({ key: OUTBOX, payload: message });
