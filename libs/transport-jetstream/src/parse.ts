import { EVENT_VERSIONS, HEADERS, type EventType, type StoredEvent } from '@countersign/contracts';
import type { LogMessage, TimerFired, UnreadableMessage } from './delivery.js';
import { eventPattern, keyOf, timerPattern } from './patterns.js';

/** A message that no build will ever read. */
export class Unparsable extends Error {
  override readonly name = 'Unparsable';
}

/** @throws GateError EVENT_UNREADABLE */
export type Decode = (message: LogMessage) => StoredEvent;

/** What goes to which handler. The first of the keys (`keyOf`) that has a handler gets it. */
export interface Parsed {
  readonly keys: readonly string[];
  readonly payload: StoredEvent | TimerFired | UnreadableMessage;
}

const ANY_EVENT = keyOf(eventPattern('*'));
export const UNREADABLE = keyOf(eventPattern('unreadable'));
const TIMER = keyOf(timerPattern);

export type Parse = (message: LogMessage) => Parsed;

/**
 * @param keepsUnreadable the service has a handler for what cannot be decoded; otherwise
 * @throws Unparsable, GateError EVENT_UNREADABLE
 */
export function eventParser(decode: Decode, keepsUnreadable: boolean): Parse {
  return (message) => {
    try {
      const event = decode(message);
      return { keys: [`event:${event.type}`, ANY_EVENT], payload: event };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const why = isOfNewerBuild(message) ? 'version' : 'syntax';
      if (keepsUnreadable) return { keys: [UNREADABLE], payload: { ...message, why, reason } };
      throw why === 'version' ? error : new Unparsable(reason);
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
    return { keys: [TIMER], payload: { name } };
  };
}
