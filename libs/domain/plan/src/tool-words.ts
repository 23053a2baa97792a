import type { Json, JsonObject, Sealed } from '@countersign/contracts';
import { currentInputOf, isCorrected, type ItemState } from './item.js';

/** Of what people and rules say; the rest is cut off. */
const MOST_WORDS = 1_000;
/** Of one list of fields. */
const MOST_FIELDS = 10;
const MOST_FIELD_CHARS = 60;

/** Somebody's own words, marked as such: they end where the closing quotation mark stands, and on no other line. */
export const quoted = (words: string): string => `“${cut(words.replace(/[“”]/g, '"').replace(/\s+/g, ' ').trim(), MOST_WORDS)}”`;

/** Deciders that are no name of a person or rule, as a reason that can be read. */
const BECAUSE: Readonly<Record<string, string>> = {
  expired: 'because nobody answered in time',
  cancelled: 'because its plan was cancelled',
  'session:ended': 'because the session had ended',
  'policy:unavailable': 'because policy did not judge it in time',
  breaker: 'because too many calls of this session were denied',
  loop: 'because this session made the same call again and again',
  'profile:headless': 'because nobody is there to answer such a call',
  'mode:plan': 'because this session only plans',
  'mode:dontAsk': 'because it would need a person, and this session asks nobody',
};

/** Who or what denied, for one sentence. */
export function deniedBy(decidedBy: string | undefined): string {
  if (decidedBy === undefined) return 'by the gate';
  const why = Object.hasOwn(BECAUSE, decidedBy) ? BECAUSE[decidedBy] : undefined;
  if (why) return `${why} (${decidedBy})`;
  if (decidedBy.startsWith('session:')) return `by ${decidedBy}, for the rest of this session,`;
  if (decidedBy.startsWith('freeze:')) return `by ${decidedBy}, who stopped such calls for now,`;
  return `by ${decidedBy}`;
}

/**
 * That a person changed the arguments, and where: names of top-level fields only, never what stands in them. Undefined: nobody did.
 * Arguments that lie beside the log are not at hand here, so that of them only the change itself is told.
 */
export function changeOf(item: ItemState): string | undefined {
  if (!isCorrected(item)) return undefined;
  const people = [...new Set(item.corrections.map(({ principal }) => `person:${principal}`))].join(' and ');
  const fields = changedFields(item.proposed.input, currentInputOf(item));
  return `A person (${people}) changed its arguments from what was asked${fields === undefined ? '' : `: ${fields}`}`;
}

function changedFields(asked: Sealed<JsonObject>, now: Sealed<JsonObject>): string | undefined {
  if (asked.digest === now.digest) return 'back to what they were';
  if (asked.value === undefined || now.value === undefined) return undefined;
  const before: Readonly<Record<string, Json | undefined>> = asked.value;
  const after: Readonly<Record<string, Json | undefined>> = now.value;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
    .filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const shown = names.slice(0, MOST_FIELDS).map((name) => quoted(cut(name, MOST_FIELD_CHARS)));
  return names.length === 0 ? undefined : `${shown.join(', ')}${names.length > MOST_FIELDS ? ` and ${names.length - MOST_FIELDS} more` : ''}`;
}

/** By whole characters. */
function cut(text: string, most: number): string {
  const characters = [...text];
  return characters.length <= most ? text : `${characters.slice(0, most).join('')}…`;
}
