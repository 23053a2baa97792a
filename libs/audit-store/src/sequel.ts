import type { LogStream } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';
import type { StoredEventRaw } from './raw-event.js';

export interface Sequel {
  readonly stream: LogStream;
  /** At or below the checkpoint, each sequence once. */
  readonly repeated: readonly StoredEventRaw[];
  /** From checkpoint + 1, in order, without gaps. */
  readonly next: readonly StoredEventRaw[];
  /** The checkpoint after them. */
  readonly end: number;
}

/** What a batch of one stream adds to its checkpoint. @throws GateError UNAVAILABLE when events are missing in it */
export function sequel(stream: LogStream, checkpoint: number, messages: readonly StoredEventRaw[]): Sequel {
  const inOrder = [...messages].sort((a, b) => a.sequence - b.sequence);
  const once = inOrder.filter((message, at) => at === 0 || message.sequence !== inOrder[at - 1]!.sequence);
  const next = once.filter((message) => message.sequence > checkpoint);
  next.forEach((message, at) => {
    const wanted = checkpoint + at + 1;
    if (message.sequence !== wanted) {
      throw new GateError('UNAVAILABLE', `Event ${wanted} of ${stream} is missing; ${message.sequence} came in its place`, { stream, missing: wanted });
    }
  });
  return { stream, repeated: once.filter((message) => message.sequence <= checkpoint), next, end: checkpoint + next.length };
}
