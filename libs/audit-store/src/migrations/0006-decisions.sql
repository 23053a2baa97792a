-- What decisions say beyond the first tables: votes, corrections, layers, vetoes, grants and trips. Run like 0001.

ALTER TABLE sessions ADD COLUMN permission_mode text;
-- Of which arguments a preview is: how often the item had been corrected; null: never.
ALTER TABLE item_previews ADD COLUMN correction integer;
ALTER TABLE item_verdicts
  -- Canonical JSON: what each layer said, and what an ask demands. Null in the oldest events.
  ADD COLUMN layers text,
  ADD COLUMN terms text,
  ADD COLUMN shadow_decision text,
  ADD COLUMN shadow_decided_by text,
  ADD COLUMN guardrails_version bigint,
  ADD COLUMN guardrails_digest text,
  ADD COLUMN shadow_digest text;
ALTER TABLE item_answers
  -- Canonical JSON, of roles and groups of the key that answered.
  ADD COLUMN roles text,
  ADD COLUMN grant_id ident,
  ADD COLUMN reservation text,
  ADD COLUMN narrow text,
  ADD COLUMN grant_expires_at timestamptz;

-- The inbox looks for asks that can still be answered, a grant's use for the verdicts that name it.
CREATE INDEX item_verdicts_asked ON item_verdicts (tenant, expires_at) WHERE decision = 'ask';
CREATE INDEX item_verdicts_standing ON item_verdicts (tenant, decided_by) WHERE decided_by LIKE 'standing:%';

-- Approvals that did not complete the quorum; the one that did is an answer.
CREATE TABLE item_votes (
  tenant              ident       NOT NULL,
  sequence            bigint      NOT NULL,
  ordinal             integer     NOT NULL,
  event_time          timestamptz NOT NULL,
  session             ident       NOT NULL,
  plan_id             ident       NOT NULL,
  item_id             ident       NOT NULL,
  item_digest         text        NOT NULL,
  principal           ident       NOT NULL,
  roles               text,
  reason              text,
  answered_at         timestamptz NOT NULL,
  -- The gateway's signature is over exactly this canonical text.
  assertion_claims    text        NOT NULL,
  assertion_key_id    text        NOT NULL,
  assertion_signature text        NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX item_votes_item ON item_votes (plan_id, item_id);

CREATE TABLE item_corrections (
  tenant              ident       NOT NULL,
  sequence            bigint      NOT NULL,
  ordinal             integer     NOT NULL,
  event_time          timestamptz NOT NULL,
  session             ident       NOT NULL,
  plan_id             ident       NOT NULL,
  item_id             ident       NOT NULL,
  correction          integer     NOT NULL,
  input_digest        text        NOT NULL,
  input_bytes         bigint      NOT NULL,
  -- Canonical text; null when the body is a blob.
  input               text,
  item_digest         text        NOT NULL,
  principal           ident       NOT NULL,
  roles               text        NOT NULL,
  reason              text,
  corrected_at        timestamptz NOT NULL,
  verdict_due_at      timestamptz NOT NULL,
  -- The gateway's signature is over exactly this canonical text.
  assertion_claims    text        NOT NULL,
  assertion_key_id    text        NOT NULL,
  assertion_signature text        NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX item_corrections_item ON item_corrections (plan_id, item_id);

-- What veto subscribers said in one round.
CREATE TABLE item_vetoes (
  tenant              ident       NOT NULL,
  sequence            bigint      NOT NULL,
  ordinal             integer     NOT NULL,
  event_time          timestamptz NOT NULL,
  session             ident       NOT NULL,
  plan_id             ident       NOT NULL,
  item_id             ident       NOT NULL,
  round               integer     NOT NULL,
  subscriber          ident       NOT NULL,
  says                text        NOT NULL,
  message             text,
  took_ms             double precision NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX item_vetoes_item ON item_vetoes (plan_id, item_id);

CREATE TABLE session_grants (
  tenant        ident       NOT NULL,
  sequence      bigint      NOT NULL,
  ordinal       integer     NOT NULL,
  event_time    timestamptz NOT NULL,
  session       ident       NOT NULL,
  grant_id      ident       NOT NULL,
  provider      ident       NOT NULL,
  operation     ident       NOT NULL,
  decision      text        NOT NULL,
  narrow        text,
  granted_by    ident       NOT NULL,
  reason        text,
  origin_plan   ident       NOT NULL,
  origin_item   ident       NOT NULL,
  granted_at    timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX session_grants_session ON session_grants (session);

CREATE TABLE session_grant_revocations (
  tenant        ident       NOT NULL,
  sequence      bigint      NOT NULL,
  ordinal       integer     NOT NULL,
  event_time    timestamptz NOT NULL,
  session       ident       NOT NULL,
  grant_id      ident       NOT NULL,
  revoked_by    ident       NOT NULL,
  revoked_at    timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX session_grant_revocations_session ON session_grant_revocations (session);

-- Trips of the breaker and of the doom loop.
CREATE TABLE session_limits (
  tenant        ident       NOT NULL,
  sequence      bigint      NOT NULL,
  ordinal       integer     NOT NULL,
  event_time    timestamptz NOT NULL,
  session       ident       NOT NULL,
  cause         text        NOT NULL,
  detail        text        NOT NULL,
  -- Canonical JSON of the items that were counted.
  items         text        NOT NULL,
  ends_at       timestamptz NOT NULL,
  reached_at    timestamptz NOT NULL,
  PRIMARY KEY (tenant, sequence, ordinal, event_time)
) PARTITION BY RANGE (event_time);
CREATE INDEX session_limits_session ON session_limits (session);

DO $$
DECLARE guarded text;
BEGIN
  FOREACH guarded IN ARRAY ARRAY['item_votes', 'item_corrections', 'item_vetoes', 'session_grants', 'session_grant_revocations', 'session_limits'] LOOP
    PERFORM guard_table(guarded::regclass);
    EXECUTE format($policy$CREATE POLICY of_the_tenant ON %I FOR SELECT
      USING (tenant = nullif(current_setting('app.tenant', true), ''))$policy$, guarded);
    PERFORM add_partition(guarded, guarded || '_untimed', 'MINVALUE', quote_literal('2000-01-01 00:00:00+00'));
  END LOOP;
END $$;

-- Months that the older tables have already.
SELECT ensure_month(to_date(month, 'YYYY-MM') :: timestamp AT TIME ZONE 'UTC') FROM (
  SELECT DISTINCT replace(substring(c.relname FROM '^event_log_y(\d{4}m\d{2})$'), 'm', '-') AS month
  FROM pg_catalog.pg_class c WHERE c.relnamespace = current_schema()::regnamespace
) months WHERE month IS NOT NULL;

CREATE OR REPLACE VIEW item_states WITH (security_invoker = true) AS
SELECT
  i.tenant, i.sequence, i.ordinal, i.event_time, i.session, i.plan_id, i.item_id, i.call_id, i.requester, i.kind, i.risk, i.description,
  i.category, i.provider, i.operation, coalesce(k.input_digest, i.input_digest) AS input_digest,
  facts.decision, facts.decided_by, a.principal AS answered_by, a.decision AS answer,
  coalesce(settled.outcome, CASE WHEN tried.found THEN 'indeterminate' WHEN facts.decision = 'deny' THEN 'denied' END) AS outcome
FROM plan_items i
LEFT JOIN LATERAL (
  SELECT x.decision, x.principal FROM item_answers x
  WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id AND x.item_id = i.item_id ORDER BY x.sequence LIMIT 1
) a ON true
LEFT JOIN LATERAL (
  SELECT true AS found FROM item_expiries x
  WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id AND x.item_id = i.item_id LIMIT 1
) e ON true
LEFT JOIN LATERAL (
  SELECT x.sequence, x.reason FROM plan_closings x
  WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id ORDER BY x.sequence LIMIT 1
) c ON true
-- A correction makes void what was said of the arguments before.
LEFT JOIN LATERAL (
  SELECT x.sequence, x.input_digest FROM item_corrections x
  WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id AND x.item_id = i.item_id ORDER BY x.sequence DESC LIMIT 1
) k ON true
-- The first allow or deny is final, unless the plan was closed before it; until then the newest ask stands.
LEFT JOIN LATERAL (
  SELECT x.decision, x.decided_by FROM item_verdicts x
  WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id AND x.item_id = i.item_id
    AND (c.sequence IS NULL OR x.sequence < c.sequence) AND x.sequence > coalesce(k.sequence, 0)
  ORDER BY x.decision = 'ask', CASE WHEN x.decision = 'ask' THEN -x.sequence ELSE x.sequence END LIMIT 1
) v ON true
CROSS JOIN LATERAL (
  SELECT
    CASE WHEN a.decision = 'approve' THEN 'allow' WHEN a.decision IS NOT NULL OR e.found THEN 'deny'
         WHEN v.decision IN ('allow', 'deny') THEN v.decision WHEN c.sequence IS NOT NULL THEN 'deny'
         ELSE coalesce(v.decision, 'pending') END AS decision,
    CASE WHEN a.decision IS NOT NULL THEN 'person:' || a.principal WHEN e.found THEN 'expired'
         WHEN v.decision IN ('allow', 'deny') THEN v.decided_by
         WHEN c.sequence IS NOT NULL THEN CASE c.reason WHEN 'policy_unavailable' THEN 'policy:unavailable'
                                                        WHEN 'session_ended' THEN 'session:ended' ELSE c.reason END
         ELSE v.decided_by END AS decided_by
) facts
-- An indeterminate outcome is settled by its own late answer or a later attempt's, never by an earlier attempt's.
LEFT JOIN LATERAL (
  SELECT x.outcome FROM apply_results x
  WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id AND x.item_id = i.item_id AND x.outcome <> 'indeterminate'
    AND NOT EXISTS (SELECT 1 FROM apply_results y WHERE y.tenant = x.tenant AND y.plan_id = x.plan_id AND y.item_id = x.item_id
                      AND y.sequence < x.sequence AND y.attempt > x.attempt)
  ORDER BY x.sequence LIMIT 1
) settled ON true
LEFT JOIN LATERAL (
  SELECT true AS found FROM apply_results x
  WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id AND x.item_id = i.item_id LIMIT 1
) tried ON true;
