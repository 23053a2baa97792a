-- What the facts say of each item now: the fold of its plan (libs/domain/plan/src/state.ts) in SQL. Run like 0001.
-- security_invoker: row-level security is that of who asks.

CREATE VIEW item_states WITH (security_invoker = true) AS
SELECT
  i.tenant, i.sequence, i.ordinal, i.event_time, i.session, i.plan_id, i.item_id, i.call_id, i.requester, i.kind, i.risk, i.description,
  i.category, i.provider, i.operation, i.input_digest,
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
-- The first allow or deny is final, unless the plan was closed before it; until then the newest ask stands.
LEFT JOIN LATERAL (
  SELECT x.decision, x.decided_by FROM item_verdicts x
  WHERE x.tenant = i.tenant AND x.plan_id = i.plan_id AND x.item_id = i.item_id
    AND (c.sequence IS NULL OR x.sequence < c.sequence)
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
