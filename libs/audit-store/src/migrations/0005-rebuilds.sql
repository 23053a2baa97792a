-- How each rebuild went, so that whoever had it started is told by whichever process he asks. It is no fact of the log:
-- a rebuild does not compare it. Run by the set-up job only, never in a scratch schema.

CREATE TABLE rebuild_steps (
  step bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  rebuild text NOT NULL,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  state text NOT NULL CHECK (state IN ('running', 'finished', 'failed')),
  -- Projected again so far, and in all.
  events bigint NOT NULL,
  total bigint NOT NULL,
  -- JSON: the report of what has finished, the error of what has failed.
  told text
);
SELECT guard_table('rebuild_steps');

GRANT INSERT, SELECT ON rebuild_steps TO :rebuilder;
GRANT SELECT ON rebuild_steps TO :projector;
