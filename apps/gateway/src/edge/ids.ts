import { ID_PATTERN } from '@countersign/contracts';
import { GateError } from '@countersign/kernel';

/** What cannot be an id never reaches a subject or a query. @param what for people @throws GateError NOT_FOUND */
export function requireId(text: string, what: string): string {
  if (!ID_PATTERN.test(text)) throw new GateError('NOT_FOUND', `There is no ${what} ${text.slice(0, 80)}`);
  return text;
}
