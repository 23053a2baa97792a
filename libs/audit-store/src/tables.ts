/**
 * Every insert-only table: its columns in the order of COPY and of the digest, and the total order of its rows.
 * A spec compares this with what the migrations made.
 */
const OF_PLAN = ['tenant', 'sequence', 'ordinal', 'event_time', 'session', 'plan_id'] as const;
const OF_ITEM = [...OF_PLAN, 'item_id'] as const;
const OF_SESSION = ['tenant', 'sequence', 'ordinal', 'event_time', 'session'] as const;

const COLUMNS = {
  event_log: [
    'stream', 'sequence', 'event_time', 'tenant', 'subject', 'session', 'aggregate', 'aggregate_id', 'author', 'rev', 'type', 'version',
    'event_id', 'source', 'actor', 'correlation_id', 'causation_id', 'traceparent', 'other_headers', 'body', 'body_digest',
  ],
  sessions: [...OF_SESSION, 'agent', 'profile', 'kind', 'opened_by', 'request_digest', 'opened_at', 'permission_mode'],
  session_endings: [...OF_SESSION, 'ended_by', 'reason', 'ended_at'],
  session_grants: [
    ...OF_SESSION, 'grant_id', 'provider', 'operation', 'decision', 'narrow', 'granted_by', 'reason', 'origin_plan', 'origin_item', 'granted_at',
  ],
  session_grant_revocations: [...OF_SESSION, 'grant_id', 'revoked_by', 'revoked_at'],
  session_limits: [...OF_SESSION, 'cause', 'detail', 'items', 'ends_at', 'reached_at'],
  plans: [
    ...OF_PLAN, 'turn_id', 'requester', 'request_digest', 'proposed_at', 'saw_session', 'saw_catalogue', 'profile', 'items', 'providers',
    'verdict_due_at', 'correlation_id',
  ],
  plan_items: [
    ...OF_ITEM, 'call_id', 'requester', 'kind', 'risk', 'description', 'category', 'provider', 'provider_version', 'provider_digest',
    'operation', 'schema_digest', 'input_schema_digest', 'output_schema_digest', 'traits', 'input_digest', 'input_bytes', 'input',
  ],
  item_previews: [...OF_ITEM, 'tree_digest', 'tree_bytes', 'tree', 'absent', 'fingerprint', 'took_ms', 'correction'],
  item_verdicts: [
    ...OF_ITEM, 'round', 'decision', 'decided_by', 'downgraded', 'message', 'item_digest', 'expires_at', 'bundle_version', 'bundle_digest',
    'saw_session', 'saw_catalogue', 'evaluated_at', 'engine', 'layers', 'terms', 'shadow_decision', 'shadow_decided_by', 'guardrails_version',
    'guardrails_digest', 'shadow_digest',
  ],
  item_vetoes: [...OF_ITEM, 'round', 'subscriber', 'says', 'message', 'took_ms'],
  item_votes: [
    ...OF_ITEM, 'item_digest', 'principal', 'roles', 'reason', 'answered_at', 'assertion_claims', 'assertion_key_id', 'assertion_signature',
  ],
  item_corrections: [
    ...OF_ITEM, 'correction', 'input_digest', 'input_bytes', 'input', 'item_digest', 'principal', 'roles', 'reason', 'corrected_at', 'verdict_due_at',
    'assertion_claims', 'assertion_key_id', 'assertion_signature',
  ],
  item_answers: [
    ...OF_ITEM, 'decision', 'scope', 'principal', 'reason', 'answered_at', 'assertion_claims', 'assertion_key_id', 'assertion_signature', 'roles', 'grant_id',
    'reservation', 'narrow', 'grant_expires_at',
  ],
  item_expiries: [...OF_ITEM, 'expired_at'],
  plan_closings: [...OF_PLAN, 'reason', 'closed_by', 'closed_at'],
  apply_starts: [
    ...OF_ITEM, 'attempt', 'fence', 'idempotency_key', 'expected_fingerprint', 'lease_stream', 'lease_sequence', 'executor', 'started_at',
  ],
  apply_results: [
    ...OF_ITEM, 'attempt', 'outcome', 'result_digest', 'result_bytes', 'result', 'error_category', 'error_message', 'error_retryable',
    'started_at', 'ended_at',
  ],
  quarantine: ['stream', 'sequence', 'tenant', 'reason', 'detail', 'envelope', 'body'],
} as const;

export type TableName = keyof typeof COLUMNS;
export const TABLES = Object.keys(COLUMNS) as readonly TableName[];
export const columnsOf = (table: TableName): readonly string[] => COLUMNS[table];

/** The primary key's columns: total, by bytes, and served by its index, so that a digest needs no sort. */
export const orderOf = (table: TableName): readonly string[] =>
  table === 'event_log' ? ['stream', 'sequence', 'event_time']
    : table === 'quarantine' ? ['stream', 'sequence']
      : ['tenant', 'sequence', 'ordinal', 'event_time'];

/** One row: a value for each of its table's columns but the ones the event gives to all of its rows. */
export type Row<T extends TableName> = Readonly<Record<(typeof COLUMNS)[T][number], Cell>>;
/** Dates travel as the RFC 3339 text of the event; bytes only in quarantine. */
export type Cell = string | number | boolean | Uint8Array | null;
