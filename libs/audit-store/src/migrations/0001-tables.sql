-- The audit's tables. Run with search_path set to the schema they shall stand in: the live schema, or the scratch
-- schema of a rebuild. Names are unqualified for that reason; no grant and no role stands in this file.

-- Identifiers compare by bytes, so that order and digests are the same on every machine.
CREATE DOMAIN ident AS text COLLATE "C";

CREATE TABLE event_log (
  stream         ident       NOT NULL,
  sequence       bigint      NOT NULL,
  event_time     timestamptz NOT NULL,
  -- Null where the subject is not an event's subject: the row then belongs to no tenant and no tenant sees it.
  tenant         ident,
  subject        text,
  session        ident,
  aggregate      ident,
  aggregate_id   ident,
  author         ident,
  rev            bigint,
  type           ident,
  version        integer,
  event_id       ident,
  source         text,
  actor          text,
  correlation_id text,
  causation_id   text,
  traceparent    text,
  -- Canonical JSON of the headers that the columns above do not say verbatim; null when there is none.
  other_headers  text,
  -- As it stands in the log; null when PostgreSQL's text cannot hold it (then the bytes are in quarantine).
  body           text,
  body_digest    ident       NOT NULL,
  PRIMARY KEY (stream, sequence, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX event_log_aggregate ON event_log (aggregate_id, rev);

CREATE TABLE sessions (
  tenant         ident       NOT NULL,
  sequence       bigint      NOT NULL,
  ordinal        integer     NOT NULL,
  event_time     timestamptz NOT NULL,
  session        ident       NOT NULL,
  agent          text        NOT NULL,
  profile        text        NOT NULL,
  kind           text        NOT NULL,
  opened_by      text        NOT NULL,
  request_digest text        NOT NULL,
  opened_at      timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX sessions_session ON sessions (session);

CREATE TABLE session_endings (
  tenant         ident       NOT NULL,
  sequence       bigint      NOT NULL,
  ordinal        integer     NOT NULL,
  event_time     timestamptz NOT NULL,
  session        ident       NOT NULL,
  ended_by       text        NOT NULL,
  reason         text        NOT NULL,
  ended_at       timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX session_endings_session ON session_endings (session);

CREATE TABLE plans (
  tenant         ident       NOT NULL,
  sequence       bigint      NOT NULL,
  ordinal        integer     NOT NULL,
  event_time     timestamptz NOT NULL,
  session        ident       NOT NULL,
  plan_id        ident       NOT NULL,
  turn_id        text        NOT NULL,
  requester      ident       NOT NULL,
  request_digest text        NOT NULL,
  proposed_at    timestamptz NOT NULL,
  saw_session    bigint      NOT NULL,
  saw_catalogue  bigint      NOT NULL,
  profile        text        NOT NULL,
  items          integer     NOT NULL,
  -- Canonical JSON of the providers as they were.
  providers      text        NOT NULL,
  verdict_due_at timestamptz NOT NULL,
  correlation_id text,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX plans_plan ON plans (plan_id);
CREATE INDEX plans_session ON plans (session);

-- The full snapshot of an item as it was when it was proposed. Never joined with a catalogue.
CREATE TABLE plan_items (
  tenant               ident       NOT NULL,
  sequence             bigint      NOT NULL,
  ordinal              integer     NOT NULL,
  event_time           timestamptz NOT NULL,
  session              ident       NOT NULL,
  plan_id              ident       NOT NULL,
  item_id              ident       NOT NULL,
  call_id              text        NOT NULL,
  requester            ident       NOT NULL,
  kind                 text        NOT NULL,
  risk                 text        NOT NULL,
  description          text        NOT NULL,
  category             text        NOT NULL,
  provider             ident       NOT NULL,
  provider_version     bigint      NOT NULL,
  provider_digest      text        NOT NULL,
  operation            ident       NOT NULL,
  schema_digest        text        NOT NULL,
  input_schema_digest  text        NOT NULL,
  output_schema_digest text,
  -- Canonical JSON of what else the operation declared: concurrency, timeout, idempotent, previewable, ...
  traits               text        NOT NULL,
  input_digest         text        NOT NULL,
  input_bytes          bigint      NOT NULL,
  -- Canonical text, whose SHA-256 is input_digest; null when the body is a blob.
  input                text,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX plan_items_plan ON plan_items (plan_id, item_id);
CREATE INDEX plan_items_operation ON plan_items (tenant, provider, operation, sequence);

CREATE TABLE item_previews (
  tenant      ident            NOT NULL,
  sequence    bigint           NOT NULL,
  ordinal     integer          NOT NULL,
  event_time  timestamptz      NOT NULL,
  session     ident            NOT NULL,
  plan_id     ident            NOT NULL,
  item_id     ident            NOT NULL,
  tree_digest text,
  tree_bytes  bigint,
  -- Canonical text of the render tree; null when it is a blob or absent.
  tree        text,
  absent      text,
  fingerprint text,
  took_ms     double precision NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX item_previews_item ON item_previews (plan_id, item_id);

-- One row for each round in which the item was judged.
CREATE TABLE item_verdicts (
  tenant         ident       NOT NULL,
  sequence       bigint      NOT NULL,
  ordinal        integer     NOT NULL,
  event_time     timestamptz NOT NULL,
  session        ident       NOT NULL,
  plan_id        ident       NOT NULL,
  item_id        ident       NOT NULL,
  round          integer     NOT NULL,
  decision       text        NOT NULL,
  decided_by     text        NOT NULL,
  downgraded     boolean     NOT NULL,
  message        text,
  item_digest    text        NOT NULL,
  expires_at     timestamptz,
  bundle_version bigint      NOT NULL,
  bundle_digest  text        NOT NULL,
  saw_session    bigint      NOT NULL,
  saw_catalogue  bigint      NOT NULL,
  evaluated_at   timestamptz NOT NULL,
  engine         text        NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX item_verdicts_item ON item_verdicts (plan_id, item_id);

CREATE TABLE item_answers (
  tenant              ident       NOT NULL,
  sequence            bigint      NOT NULL,
  ordinal             integer     NOT NULL,
  event_time          timestamptz NOT NULL,
  session             ident       NOT NULL,
  plan_id             ident       NOT NULL,
  item_id             ident       NOT NULL,
  decision            text        NOT NULL,
  scope               text        NOT NULL,
  principal           ident       NOT NULL,
  reason              text,
  answered_at         timestamptz NOT NULL,
  -- The gateway's signature is over exactly this canonical text.
  assertion_claims    text        NOT NULL,
  assertion_key_id    text        NOT NULL,
  assertion_signature text        NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX item_answers_item ON item_answers (plan_id, item_id);

-- Asked items that nobody answered in time.
CREATE TABLE item_expiries (
  tenant     ident       NOT NULL,
  sequence   bigint      NOT NULL,
  ordinal    integer     NOT NULL,
  event_time timestamptz NOT NULL,
  session    ident       NOT NULL,
  plan_id    ident       NOT NULL,
  item_id    ident       NOT NULL,
  expired_at timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX item_expiries_item ON item_expiries (plan_id, item_id);

-- A closing denies what was undecided then; which items that were follows from the order of facts (item_states).
CREATE TABLE plan_closings (
  tenant     ident       NOT NULL,
  sequence   bigint      NOT NULL,
  ordinal    integer     NOT NULL,
  event_time timestamptz NOT NULL,
  session    ident       NOT NULL,
  plan_id    ident       NOT NULL,
  reason     text        NOT NULL,
  closed_by  text        NOT NULL,
  closed_at  timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX plan_closings_plan ON plan_closings (plan_id);

CREATE TABLE apply_starts (
  tenant               ident       NOT NULL,
  sequence             bigint      NOT NULL,
  ordinal              integer     NOT NULL,
  event_time           timestamptz NOT NULL,
  session              ident       NOT NULL,
  plan_id              ident       NOT NULL,
  item_id              ident       NOT NULL,
  attempt              integer     NOT NULL,
  fence                bigint      NOT NULL,
  idempotency_key      text        NOT NULL,
  expected_fingerprint text,
  lease_stream         text        NOT NULL,
  lease_sequence       bigint      NOT NULL,
  executor             text        NOT NULL,
  started_at           timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX apply_starts_item ON apply_starts (plan_id, item_id);

CREATE TABLE apply_results (
  tenant          ident       NOT NULL,
  sequence        bigint      NOT NULL,
  ordinal         integer     NOT NULL,
  event_time      timestamptz NOT NULL,
  session         ident       NOT NULL,
  plan_id         ident       NOT NULL,
  item_id         ident       NOT NULL,
  attempt         integer     NOT NULL,
  outcome         text        NOT NULL,
  result_digest   text,
  result_bytes    bigint,
  -- Canonical text; null when it is a blob or there is none.
  result          text,
  error_category  text,
  error_message   text,
  error_retryable boolean,
  started_at      timestamptz NOT NULL,
  ended_at        timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX apply_results_item ON apply_results (plan_id, item_id);

-- What cannot be projected, with everything the log held of it. Rare, so not partitioned.
CREATE TABLE quarantine (
  stream   ident  NOT NULL,
  sequence bigint NOT NULL,
  tenant   ident,
  reason   text   NOT NULL,
  detail   text   NOT NULL,
  -- Canonical JSON: the subject and every header the writer set.
  envelope text   NOT NULL,
  body     bytea  NOT NULL,
  PRIMARY KEY (stream, sequence)
);

-- How far each stream is projected. The only row that ever changes, and only upwards (0002).
CREATE TABLE checkpoints (
  stream   ident  PRIMARY KEY,
  sequence bigint NOT NULL CHECK (sequence >= 0)
);
INSERT INTO checkpoints (stream, sequence) VALUES ('GATE', 0), ('CATALOG', 0);
