import type { ReadableEvent } from './readable.js';
import { canonical, identifier, integer, list, oneOf, optionalCanonical, optionalProse, optionalText, optionalTime, record, sealed, text, texts, time } from './cells.js';
import type { Facts, RowSink } from './row-sink.js';

type Fields = Record<string, unknown>;
type RowsOf = (event: ReadableEvent, common: Facts, sink: RowSink) => void;

/** What people said, in the order of the event. */
export const itemsAnswered: RowsOf = (event, common, sink) => {
  list(record(event.data, 'data')['answers'], 'answers').forEach((answer, ordinal) => {
    sink.add('item_answers', common, saidFacts(answer), grantFacts(answer), {
      ordinal,
      decision: oneOf(answer['decision'], 'decision', ['approve', 'reject']),
      scope: text(answer['scope'], 'scope'),
      answered_at: time(answer['answeredAt'], 'answeredAt'),
    });
  });
};

export const itemsVoted: RowsOf = (event, common, sink) => {
  list(record(event.data, 'data')['votes'], 'votes').forEach((vote, ordinal) => {
    sink.add('item_votes', common, saidFacts(vote), {
      ordinal,
      item_digest: text(vote['itemDigest'], 'itemDigest'),
      answered_at: time(vote['answeredAt'], 'answeredAt'),
    });
  });
};

export const itemCorrected: RowsOf = (event, common, sink) => {
  const data = record(event.data, 'data');
  const input = sealed(data['input'], 'input');
  sink.add('item_corrections', common, saidFacts(data), {
    ordinal: 0,
    correction: integer(data['correction'], 'correction'),
    input_digest: input.digest,
    input_bytes: input.bytes,
    input: input.text,
    item_digest: text(data['itemDigest'], 'itemDigest'),
    roles: texts(data['roles'], 'roles'),
    corrected_at: time(data['correctedAt'], 'correctedAt'),
    verdict_due_at: time(data['verdictDueAt'], 'verdictDueAt'),
  });
};

function saidFacts(said: Fields): Facts {
  const assertion = record(said['assertion'], 'assertion');
  return {
    item_id: identifier(said['itemId'], 'itemId'),
    principal: identifier(said['principal'], 'principal'),
    roles: said['roles'] === undefined ? null : texts(said['roles'], 'roles'),
    reason: optionalProse(said['reason'], 'reason'),
    assertion_claims: canonical(record(assertion['claims'], 'claims'), 'claims'),
    assertion_key_id: text(assertion['keyId'], 'keyId'),
    assertion_signature: text(assertion['signature'], 'signature'),
  };
}

/** What an answer gives beyond its item. */
function grantFacts(answer: Fields): Facts {
  if (answer['grant'] === undefined) return { grant_id: null, reservation: null, narrow: null, grant_expires_at: null };
  const grant = record(answer['grant'], 'grant');
  return {
    grant_id: identifier(grant['grantId'], 'grantId'),
    reservation: optionalText(grant['reservation'], 'reservation'),
    narrow: optionalCanonical(grant['narrow'], 'narrow'),
    grant_expires_at: optionalTime(grant['expiresAt'], 'expiresAt'),
  };
}
