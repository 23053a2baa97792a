-- Who may do what in the live schema. Run by the set-up job only, never in a scratch schema.

GRANT USAGE ON SCHEMA :schema TO countersign_projector, countersign_rebuilder, countersign_reader;

-- Parents only: partitions are reached through them and by nobody directly.
GRANT INSERT, SELECT ON event_log, sessions, session_endings, plans, plan_items, item_previews, item_verdicts, item_answers, item_expiries,
  plan_closings, apply_starts, apply_results, quarantine TO countersign_projector;
GRANT SELECT ON event_log, sessions, session_endings, plans, plan_items, item_previews, item_verdicts, item_answers, item_expiries,
  plan_closings, apply_starts, apply_results, quarantine TO countersign_rebuilder, countersign_reader;
GRANT SELECT ON item_states TO countersign_reader;

GRANT SELECT ON checkpoints TO countersign_projector, countersign_rebuilder, countersign_reader;
GRANT EXECUTE ON FUNCTION advance_checkpoint(text, bigint, bigint) TO countersign_projector;
GRANT EXECUTE ON FUNCTION ensure_month(timestamptz) TO countersign_projector;
