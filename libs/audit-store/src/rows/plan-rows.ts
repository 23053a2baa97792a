import type { ReadableEvent } from './readable.js';
import {
  bigint, canonical, finite, flag, identifier, integer, list, oneOf, optionalCanonical, optionalInteger, optionalProse, optionalText, optionalTime, prose, record,
  sealed, text, time,
} from './cells.js';
import type { Facts, RowSink } from './row-sink.js';
import { Unprojectable } from './unprojectable.js';

type Fields = Record<string, unknown>;
type RowsOf = (event: ReadableEvent, common: Facts, sink: RowSink) => void;

const itemId = (item: Fields): string => identifier(item['itemId'], 'itemId');

export const previewed: RowsOf = (event, common, sink) => {
  list(record(event.data, 'data')['items'], 'items').forEach((item, ordinal) => {
    const tree = item['tree'] === undefined ? undefined : sealed(item['tree'], 'tree');
    sink.add('item_previews', common, {
      ordinal,
      item_id: itemId(item),
      tree_digest: tree?.digest ?? null,
      tree_bytes: tree?.bytes ?? null,
      tree: tree?.text ?? null,
      absent: optionalText(item['absent'], 'absent'),
      fingerprint: optionalProse(item['fingerprint'], 'fingerprint'),
      took_ms: finite(item['tookMs'], 'tookMs'),
      correction: optionalInteger(item['correction'], 'correction'),
    });
  });
};

export const evaluated: RowsOf = (event, common, sink) => {
  const data = record(event.data, 'data');
  const bundle = record(data['bundle'], 'bundle');
  const saw = record(data['saw'], 'saw');
  const ofRound = {
    round: integer(data['round'], 'round'),
    bundle_version: bigint(bundle['version'], 'bundle.version'),
    bundle_digest: text(bundle['digest'], 'bundle.digest'),
    saw_session: bigint(saw['session'], 'saw.session'),
    saw_catalogue: bigint(saw['catalogue'], 'saw.catalogue'),
    evaluated_at: time(data['evaluatedAt'], 'evaluatedAt'),
    engine: text(data['engine'], 'engine'),
    ...otherBundles(data),
  };
  addVetoes(data, ofRound.round, common, sink);
  list(data['items'], 'items').forEach((item, ordinal) => {
    sink.add('item_verdicts', common, ofRound, {
      ordinal,
      item_id: itemId(item),
      decision: verdict(item['decision']),
      decided_by: text(item['decidedBy'], 'decidedBy'),
      downgraded: item['downgraded'] === undefined ? false : flag(item['downgraded'], 'downgraded'),
      message: optionalProse(item['message'], 'message'),
      item_digest: text(item['itemDigest'], 'itemDigest'),
      expires_at: optionalTime(item['expiresAt'], 'expiresAt'),
      layers: item['layers'] === undefined ? null : canonical(list(item['layers'], 'layers'), 'layers'),
      terms: optionalCanonical(item['terms'], 'terms'),
      ...shadowFacts(item),
    });
  });
};

/** What was in force beside the rules. */
function otherBundles(data: Fields): Facts {
  const guardrails = data['guardrails'] === undefined ? undefined : record(data['guardrails'], 'guardrails');
  const shadow = data['shadow'] === undefined ? undefined : record(data['shadow'], 'shadow');
  return {
    guardrails_version: guardrails ? bigint(guardrails['version'], 'guardrails.version') : null,
    guardrails_digest: guardrails ? text(guardrails['digest'], 'guardrails.digest') : null,
    shadow_digest: shadow ? text(shadow['digest'], 'shadow.digest') : null,
  };
}

function shadowFacts(item: Fields): Facts {
  if (item['shadow'] === undefined) return { shadow_decision: null, shadow_decided_by: null };
  const shadow = record(item['shadow'], 'shadow');
  return { shadow_decision: verdict(shadow['decision']), shadow_decided_by: text(shadow['decidedBy'], 'shadow.decidedBy') };
}

function addVetoes(data: Fields, round: number, common: Facts, sink: RowSink): void {
  if (data['vetoes'] === undefined) return;
  list(data['vetoes'], 'vetoes').forEach((answer, ordinal) => {
    sink.add('item_vetoes', common, {
      ordinal,
      item_id: itemId(answer),
      round,
      subscriber: identifier(answer['subscriber'], 'subscriber'),
      says: oneOf(answer['says'], 'says', ['pass', 'deny', 'failed']),
      message: optionalProse(answer['message'], 'message'),
      took_ms: finite(answer['tookMs'], 'tookMs'),
    });
  });
}

export const itemsExpired: RowsOf = (event, common, sink) => {
  const data = record(event.data, 'data');
  const expiredAt = time(data['at'], 'at');
  if (!Array.isArray(data['items'])) throw new Unprojectable('shape_unknown', 'items is not a list');
  data['items'].forEach((id: unknown, ordinal) => {
    sink.add('item_expiries', common, { ordinal, item_id: identifier(id, 'itemId'), expired_at: expiredAt });
  });
};

export const planClosed: RowsOf = (event, common, sink) => {
  const data = record(event.data, 'data');
  sink.add('plan_closings', common, {
    ordinal: 0,
    reason: text(data['reason'], 'reason'),
    closed_by: text(data['by'], 'by'),
    closed_at: time(data['at'], 'at'),
  });
};

export const applyStarted: RowsOf = (event, common, sink) => {
  const data = record(event.data, 'data');
  const lease = record(data['lease'], 'lease');
  const ofEvent = {
    lease_stream: text(lease['stream'], 'lease.stream'),
    lease_sequence: bigint(lease['sequence'], 'lease.sequence'),
    executor: text(lease['executor'], 'lease.executor'),
    started_at: time(data['startedAt'], 'startedAt'),
  };
  list(data['attempts'], 'attempts').forEach((attempt, ordinal) => {
    sink.add('apply_starts', common, ofEvent, {
      ordinal,
      item_id: itemId(attempt),
      attempt: integer(attempt['attempt'], 'attempt'),
      fence: bigint(attempt['fence'], 'fence'),
      idempotency_key: text(attempt['idempotencyKey'], 'idempotencyKey'),
      expected_fingerprint: optionalProse(attempt['expectedFingerprint'], 'expectedFingerprint'),
    });
  });
};

export const outcomes: RowsOf = (event, common, sink) => {
  list(record(event.data, 'data')['outcomes'], 'outcomes').forEach((outcome, ordinal) => {
    const result = outcome['result'] === undefined ? undefined : sealed(outcome['result'], 'result');
    const error = outcome['error'] === undefined ? undefined : record(outcome['error'], 'error');
    sink.add('apply_results', common, {
      ordinal,
      item_id: itemId(outcome),
      attempt: integer(outcome['attempt'], 'attempt'),
      outcome: oneOf(outcome['outcome'], 'outcome', ['applied', 'failed', 'skipped', 'indeterminate']),
      result_digest: result?.digest ?? null,
      result_bytes: result?.bytes ?? null,
      result: result?.text ?? null,
      error_category: error ? text(error['category'], 'error.category') : null,
      error_message: error ? prose(error['message'], 'error.message') : null,
      error_retryable: error ? flag(error['retryable'], 'error.retryable') : null,
      started_at: time(outcome['startedAt'], 'startedAt'),
      ended_at: time(outcome['endedAt'], 'endedAt'),
    });
  });
};

const verdict = (value: unknown): string => oneOf(value, 'decision', ['allow', 'ask', 'deny']);
