import { isGateError } from '@countersign/kernel';
import { Unparsable } from './parse.js';

/**
 * What of an error may leave the service: it travels in an acknowledgement, stands in ADVISORIES and is shown to people.
 * A message that nobody wrote for them may hold a secret; it is in the service's log, with stream and sequence.
 */
export function tellable(error: Error): string {
  if (isGateError(error)) return oneLine(`${error.code}: ${error.message}`);
  if (error instanceof Unparsable) return oneLine(error.message);
  return `${oneLine(error.name)}; the service’s log says more under this stream and sequence`;
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 300);
