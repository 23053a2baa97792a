-- Who may do what in the live schema. Run by the set-up job only, never in a scratch schema.

GRANT USAGE ON SCHEMA :schema TO :projector, :rebuilder, :reader;

-- Parents only: partitions are reached through them and by nobody directly.
GRANT INSERT, SELECT ON event_log, sessions, session_endings, plans, plan_items, item_previews, item_verdicts, item_answers, item_expiries,
  plan_closings, apply_starts, apply_results, quarantine TO :projector;
GRANT SELECT ON event_log, sessions, session_endings, plans, plan_items, item_previews, item_verdicts, item_answers, item_expiries,
  plan_closings, apply_starts, apply_results, quarantine TO :rebuilder, :reader;
GRANT SELECT ON item_states TO :reader;

GRANT SELECT ON checkpoints TO :projector, :rebuilder, :reader;
GRANT EXECUTE ON FUNCTION advance_checkpoint(text, bigint, bigint) TO :projector;
GRANT EXECUTE ON FUNCTION ensure_month(timestamptz) TO :projector;
